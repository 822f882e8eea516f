"""Heal on several machines: a web process and two workers with folders of their own, on one PostgreSQL; each reaches
the database and GitHub by a network that can be cut, and somebody starts again what ends."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.bot.postgres import Server
from tests.bot.proxy import Proxy, proxying
from tests.killing.process import HealProcess

TAKE_OVER = 20.0  # seconds of silence; a busy machine keeps its workers from beating for some
AGAIN = 0.5  # seconds until who ended is started again
KEEP = ("toolchains", "interpreters")  # slow to make


@dataclass
class Member:
    """One process, and its ways to the database and to GitHub."""

    process: HealProcess
    to_database: Proxy
    to_github: Proxy
    gone: bool = False  # for good


@dataclass
class Company:
    """All of them; in place of one `HealProcess`."""

    server: Server
    url: str
    web: Member
    workers: list[Member]
    _watching: asyncio.Task[None] | None = None

    @property
    def members(self) -> list[Member]:
        return [self.web, *self.workers]

    @property
    def log(self) -> str:
        """What all of them said."""
        return "\n".join(member.process.log for member in self.members)

    async def start(self) -> None:
        """Starts everybody who isn't gone; returns when webhooks are taken."""
        for worker in self.workers:
            if not worker.gone:
                await worker.process.launch()
        await self.web.process.start()
        self._watching = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        """As systemd does."""
        while True:
            await asyncio.sleep(AGAIN)
            for member in self.members:
                if not member.process.living and not member.gone:
                    await member.process.launch()

    async def kill(self) -> None:
        """Everybody, at once."""
        if self._watching is not None:
            self._watching.cancel()
        for member in self.members:
            await member.process.kill()

    async def nothing_survives(self) -> None:
        """Waits until all that ran below killed processes is dead too."""
        for member in self.members:
            await member.process.nothing_survives()

    async def stop(self) -> None:
        """Ends everybody as an operator would."""
        if self._watching is not None:
            self._watching.cancel()
        for member in self.members:
            if member.process.living:
                await member.process.stop()

    def rows(self, query: str) -> list[Any]:
        """What the books answer."""
        with psycopg.connect(self.url, connect_timeout=5) as books:
            return books.execute(query.encode()).fetchall()

    def left(self) -> list[str]:
        """See HealProcess; the folder of a worker that is gone for good is gone with its machine."""
        return [name for member in self.workers if not member.gone for name in member.process.left()]


OpenCompany = Callable[[HealProcess], AbstractAsyncContextManager[Company]]


@dataclass
class Companies:
    """Makes a company for each play, on a database of its own; the workers' tools are kept."""

    server: Server
    folder: Path
    count: int = 0
    names: tuple[str, ...] = field(default=("one", "two"))

    @asynccontextmanager
    async def open(self, alone: HealProcess) -> AsyncIterator[Company]:
        """A company that gets what the one process would get."""
        self.count += 1
        name = f"play{self.count}"
        with psycopg.connect(self.server.url, autocommit=True) as books:
            books.execute(f"CREATE DATABASE {name}".encode())
        url = self.server.url.rsplit("/", 1)[0] + f"/{name}"
        async with contextlib.AsyncExitStack() as stack:

            async def member(words: tuple[str, ...], data: Path) -> Member:
                database = await stack.enter_async_context(proxying(self.server.port))
                github = alone.environment["HEAL_GITHUB_URL"]
                to_github = await stack.enter_async_context(proxying(urlsplit(github).port or 80))
                given = {
                    **alone.environment,
                    "HEAL_DATA": str(data),
                    "DATABASE_URL": url.replace(f":{self.server.port}/", f":{database.port}/"),
                    "HEAL_GITHUB_URL": github.replace(f":{urlsplit(github).port}", f":{to_github.port}"),
                    "HEAL_TAKE_OVER_SECONDS": str(TAKE_OVER),
                }
                return Member(HealProcess(data, alone.port, given, words), database, to_github)

            web = await member(("serve", "--web-only"), alone.data)
            workers = [await member(("worker",), _cleared(self.folder / name)) for name in self.names]
            yield Company(self.server, url, web, workers)


def _cleared(data: Path) -> Path:
    """A worker's folder, with nothing but its tools."""
    data.mkdir(mode=0o711, exist_ok=True)
    for path in data.iterdir():
        if path.name not in KEEP:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return data
