"""Heal's pages over real HTTP beside a local GitHub that says who sees what, and a real browser."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
import uvicorn
from pydantic import SecretStr
from starlette.applications import Starlette

from bot.app import create_web
from bot.settings import Settings
from bot.store.database import Database
from bot.store.repo import RepoStore
from lab.localhub import apps, repos
from lab.localhub.hub import Hub
from lab.localhub.pages import routes
from lab.localhub.server import LocalHub, Quiet, listen, serve
from lab.localhub.state import App, Installation, Repo
from tests.bot.conftest import Clock
from tests.migrated import new_store
from tests.pages.conftest import browser, key  # the same Chromium for all pages

__all__ = ["browser", "key"]
_CSRF = re.compile(r'name="csrf" value="([^"]+)"')


@dataclass
class Stage:
    """`maya` sees tally and ledger, `noor` tally, `zoe` vault of another organisation, `sam` nothing."""

    local: LocalHub
    app: App
    repos: dict[str, Repo]
    installations: dict[str, Installation]
    settings: Settings
    database: Database
    clock: Clock
    url: str

    @property
    def hub(self) -> Hub:
        return self.local.hub

    def store(self, name: str) -> RepoStore:
        """What Heal remembers of one repository."""
        repo = self.repos[name]
        return RepoStore(self.database, repo.id, repo.full_name, self.clock)

    def stranger(self) -> httpx.AsyncClient:
        """A browser without a window that nobody has signed in with."""
        return httpx.AsyncClient(base_url=self.url, headers={"Origin": self.url}, trust_env=False, timeout=60)

    @asynccontextmanager
    async def signed_in(self, login: str) -> AsyncIterator[httpx.AsyncClient]:
        """The same after somebody went through GitHub and back."""
        async with self.stranger() as client:
            await sign_in(self, client, login)
            yield client


async def consent(stage: Stage, login: str, address: str, says: str = "yes") -> str:
    """Where GitHub sends a person who was sent to `address`, and said this there."""
    base, origin = stage.local.url, {"Origin": stage.local.url}
    async with httpx.AsyncClient(
        base_url=base, headers=origin, cookies={"localhub_you": login}, trust_env=False, timeout=60
    ) as you:
        asked = await you.get(address)
        assert asked.status_code == 200, asked.text
        fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', asked.text))
        answer = await you.post("/login/oauth/authorize", data={**_unescaped(fields), "consent": says})
    return answer.headers["location"]


async def sign_in(stage: Stage, client: httpx.AsyncClient, login: str) -> httpx.Response:
    """From the first click until the cookie is there."""
    begun = await client.get("/auth/start")
    back = await consent(stage, login, begun.headers["location"])
    return await client.get(back)


def csrf_of(page: str) -> str:
    found = _CSRF.search(page)
    assert found is not None
    return found[1]


def _unescaped(fields: dict[str, str]) -> dict[str, str]:
    from html import unescape

    return {name: unescape(value) for name, value in fields.items() if name != "next"}


@asynccontextmanager
async def served(made: Starlette, sock: Any) -> AsyncIterator[None]:
    """Serves an application on a socket that listens."""
    server = Quiet(uvicorn.Config(made, log_config=None, access_log=False, lifespan="off", ws="none"))
    running = asyncio.create_task(server.serve(sockets=[sock]))
    while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
        await asyncio.sleep(0.005)
    try:
        yield
    finally:
        server.should_exit = True
        await running
        sock.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture(loop_scope="session")
async def stage(tmp_path: Path, key: str, clock: Clock) -> AsyncIterator[Stage]:
    async with set_up(tmp_path, key, clock) as made:
        yield made


@asynccontextmanager
async def set_up(folder: Path, key: str, clock: Clock) -> AsyncIterator[Stage]:
    """The stage in a folder."""
    hub = Hub(folder / "hub", lambda: datetime.fromtimestamp(clock(), UTC))
    made = {
        name: repos.create_repo(hub, owner, name, {"a.txt": "a\n"}, private=True)
        for name, owner in (("tally", "corner-shop"), ("ledger", "corner-shop"), ("vault", "other-firm"))
    }
    for login, name in (("maya", "tally"), ("maya", "ledger"), ("noor", "tally"), ("zoe", "vault")):
        hub.person(login)
        repos.add_collaborator(made[name], login, "admin" if login == "maya" else "write")
    hub.person("sam")
    app = apps.register(hub, private_key=key)
    async with serve(hub, extra_routes=routes(hub)) as local:
        installations = {owner: apps.install(hub, app, owner) for owner in ("corner-shop", "other-firm")}
        sock = listen("127.0.0.1", 0)
        url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        app.callback_urls = [f"{url}/auth/callback"]
        settings = Settings(
            data=folder / "heal", app_id=str(app.id), private_key=SecretStr(key), github_url=local.api, write_gap=0,
            webhook_secret=SecretStr(app.webhook_secret), client_id=app.client_id,
            client_secret=SecretStr(app.client_secret), public_url=url,
        )  # fmt: skip
        new_store(settings.store_file)
        web = create_web(settings, clock)
        async with web.router.lifespan_context(web), served(web, sock):
            database = await Database.open(settings.store_url)
            yield Stage(local, app, made, installations, settings, database, clock, url)
            await database.close()
