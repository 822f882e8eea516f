"""Web and worker as processes of their own on one database: what one takes the other works off (OP-2, CLI-1)."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from bot.durable.engine import DurableEngine
from bot.machine import open_machine
from bot.settings import Settings
from bot.store.database import Database
from handlers.errors import UserError
from lab.free_port import free_port
from tests.bot.conftest import Clock
from tests.bot.hub import Place, no_healer, place
from tests.bot.postgres import postgres
from tests.bot.test_machine import ci_fails, heals_check

ROOT = Path(__file__).parents[2]


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder that the sandbox's user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="heal-processes-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


@dataclass
class Processes:
    """Heal's processes on one database."""

    environment: dict[str, str]
    log: Path
    port: int
    started: list[asyncio.subprocess.Process] = field(default_factory=list)

    async def start(self, *words: str) -> asyncio.subprocess.Process:
        with self.log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", *words, cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )
        self.started.append(process)
        return process

    async def until(self, what: str, holds: Callable[[], bool], seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, f"waited for: {what}. They said:\n{self.log.read_text()[-4000:]}"
            await asyncio.sleep(0.05)

    async def health(self) -> dict[str, object]:
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            with contextlib.suppress(httpx.HTTPError):
                found: dict[str, object] = (await client.get(f"http://127.0.0.1:{self.port}/readyz")).json()
                return found
        return {}

    async def web(self) -> None:
        await self.start("serve", "--web-only")
        end = time.monotonic() + 120
        while not await self.health():
            assert time.monotonic() < end, self.log.read_text()[-4000:]
            await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def processes(here: Place, data: Path, url: str) -> AsyncIterator[Processes]:
    port = free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(data),
        "HEAL_DATA": str(data / "data"),
        "DATABASE_URL": url,
        "HEAL_APP_ID": str(here.app.id),
        "HEAL_PRIVATE_KEY": here.app.private_key,
        "HEAL_WEBHOOK_SECRET": here.app.webhook_secret,
        "HEAL_GITHUB_URL": here.local.api,
        "HEAL_WRITE_GAP": "0",
        "HEAL_PORT": str(port),
        "HEAL_QUIET_SECONDS": "1",
    }
    here.app.webhook_url = f"http://127.0.0.1:{port}/webhook"
    made = Processes(environment, data / "log", port)
    try:
        yield made
    finally:
        for process in made.started:
            if process.returncode is None:
                process.kill()
                await process.wait()


def reported(here: Place) -> bool:
    return any(run.app_slug == "heal" and run.status == "completed" for run in here.hub.check_runs.values())


async def works_off(here: Place, data: Path, url: str) -> None:
    async with processes(here, data, url) as heal:
        await heal.web()
        health = await heal.health()
        assert health["ready"], "webhooks that are refused are lost, those that are stored wait"
        assert "heal worker" in str(health["notes"])
        ci_fails(here, "lint")
        await here.hub.settled()
        assert not any(run.app_slug == "heal" for run in here.hub.check_runs.values())
        worker = await heal.start("worker")
        await heal.until("Heal's check run", lambda: reported(here))
        assert heals_check(here) == ("completed", "neutral")
        assert (await heal.health())["notes"] == {}
        worker.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(worker.wait(), 20) == 0


# CLI-1, OP-2
async def test_a_worker_works_off_what_a_web_process_took_on_one_sqlite_file(here: Place, data: Path) -> None:
    await works_off(here, data, f"sqlite:///{data / 'heal.db'}")


# CLI-1, OP-2
async def test_a_worker_works_off_what_a_web_process_took_on_postgresql(here: Place, data: Path) -> None:
    with postgres() as url:
        await works_off(here, data, url)


# OP-2, OP-3
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_a_further_worker_in_one_folder_waits_and_takes_over_when_the_first_one_dies(
    data: Path, kind: str
) -> None:
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(postgres()) if kind == "postgresql" else f"sqlite:///{data / 'heal.db'}"
        settings = Settings(data=data / "data", database_url=url, app_id="1")
        first = contextlib.AsyncExitStack()
        await first.enter_async_context(open_machine(settings, DurableEngine(), no_healer))
        with pytest.raises(UserError, match=r"another worker .* is running"):
            async with open_machine(settings, DurableEngine(), no_healer):
                pass
        second = open_machine(settings, DurableEngine(), no_healer, longest_wait=None)
        taking_over = asyncio.ensure_future(second.__aenter__())
        await asyncio.sleep(0.7)
        assert not taking_over.done()
        await first.aclose()
        machine = await asyncio.wait_for(taking_over, 20)
        assert await machine.lease.held()
        await second.__aexit__(None, None, None)


# OP-3
async def test_a_worker_that_its_database_forgot_notices_and_ends(data: Path) -> None:
    ended: list[bool] = []
    with postgres() as url:
        settings = Settings(data=data / "data", database_url=url, app_id="1", take_over_seconds=12)
        queue = DurableEngine(settings.worker)
        async with open_machine(settings, queue, no_healer, end=lambda: ended.append(True)) as machine:
            assert await machine.lease.held()
            async with machine.database.read() as connection:
                locks = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
                await connection.execute(text(locks))
            assert not await machine.lease.held()
            async with asyncio.timeout(30):
                while not ended:  # noqa: ASYNC110 -- the lease beats by itself
                    await asyncio.sleep(0.05)
