"""The machine as a whole, but for the engine: GitHub's webhook comes in over HTTP, and Heal's check run appears."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from pydantic import SecretStr

from bot.app import create_app
from bot.contexts import RepoSite
from bot.durable.engine import DurableEngine
from bot.machine import Machine
from bot.settings import Settings
from bot.store.database import Database
from bot.store.deliveries import deliveries
from handlers.model import Run
from handlers.model.repo_policy import RepoPolicy
from healing.model import NotChecked, Outcome
from lab.localhub import actions, apps
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place
from tests.migrated import new_store

LINT = ".github/workflows/ci.yml"


class Blind:
    """An engine that looks at nothing, and says so."""

    def __init__(self, site: RepoSite, received: list[int]) -> None:
        self.site = site
        self.heard = received

    async def policy(self, _sha: str, _pull: Any) -> RepoPolicy:
        return RepoPolicy()

    async def heal(self, run: Run, _pull: Any, progress: Callable[[str], Awaitable[None]]) -> Outcome:
        failures = await self.site.store.failures(run.sha, run.attempt)
        self.heard.append(len(failures))
        await progress("closing my eyes")
        gap = NotChecked(what="everything", why="this engine is blind")
        return Outcome(verdict="could-not-look", run_id="r1", not_looked=(gap,))


@asynccontextmanager
async def running(
    here: Place, folder: Path, queue: DurableEngine, clock: Any, healer: type[Blind] | None = None
) -> AsyncIterator[Machine]:
    """The machine served over HTTP, with the hub's webhooks pointed at it; `machine.heard` is what the engine got."""
    app = here.app
    settings = Settings(
        data=folder / "machine", app_id=str(app.id), private_key=SecretStr(app.private_key), github_url=here.local.api,
        write_gap=0,
        webhook_secret=SecretStr(app.webhook_secret), quiet_seconds=30,
    )  # fmt: skip
    new_store(settings.store_file)
    made = create_app(settings, queue, lambda site: (healer or Blind)(site, here.healed), clock)
    async with made.router.lifespan_context(made):
        config = uvicorn.Config(made, port=0, log_config=None, lifespan="off", ws="none", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
            await asyncio.sleep(0.005)
        app.webhook_url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/webhook"
        try:
            yield made.state.machine
        finally:
            server.should_exit = True
            await task


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


def ci_fails(here: Place, *names: str) -> None:
    run = actions.begin_run(here.hub, here.repo, LINT, "CI", here.pull.head_sha, "topic#1")
    for job in [actions.begin_job(here.hub, run, name) for name in names]:
        actions.finish_job(here.hub, job, "failure", [], b"red\n")
    actions.finish_run(here.hub, run)


async def states(machine: Machine) -> set[str]:
    async with machine.database.read() as connection:
        return set((await connection.execute(deliveries.select())).scalars("state"))


def heals_check(here: Place) -> tuple[str, str | None]:
    (run,) = [run for run in here.hub.check_runs.values() if run.app_slug == "heal"]
    return run.status, run.conclusion


# IN-2 IN-3
async def test_red_ci_leads_to_one_run_and_nothing_happens_before_the_queue_is_stepped(
    here: Place, tmp_path: Path, clock: Clock
) -> None:
    queue = DurableEngine(stepped=True)
    async with running(here, tmp_path, queue, clock) as machine:
        ci_fails(here, "lint", "tests")
        await here.hub.settled()
        assert here.healed == []
        await queue.drain()
        await here.hub.settled()
        await queue.drain()
        assert heals_check(here) == ("completed", "neutral")
        run = await machine.contexts.store(here.repo.id).run(here.pull.head_sha, 1)
        assert run is not None
        assert (run.state, run.number) == ("done", here.pull.number)
    assert len(here.healed) == 1
    assert {d.status_code for d in _attempts(here)} <= {200, 202}


# OP-9
async def test_an_uninstalled_repository_is_forgotten(here: Place, tmp_path: Path, clock: Clock) -> None:
    queue = DurableEngine(stepped=True)
    async with running(here, tmp_path, queue, clock) as machine:
        ci_fails(here, "lint")
        await here.hub.settled()
        await queue.drain()
        apps.uninstall(here.hub, here.installation)
        await here.hub.settled()
        await queue.drain()
        assert await machine.contexts.store(here.repo.id).run(here.pull.head_sha, 1) is None


# OP-2
async def test_the_durable_engine_does_the_same_by_itself_and_doesnt_wait_for_quiet_when_all_suites_settled(
    here: Place, tmp_path: Path
) -> None:
    import time

    queue = DurableEngine(poll=0.05)
    async with running(here, tmp_path, queue, time.time) as machine:
        ci_fails(here, "lint", "tests")
        store = machine.contexts.store(here.repo.id)
        async with asyncio.timeout(25):  # less than the quiet period
            while (run := await store.run(here.pull.head_sha, 1)) is None or run.state != "done":  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    assert heals_check(here) == ("completed", "neutral")
    assert len(here.healed) == 1


def _attempts(here: Place) -> list[Any]:
    return [attempt for delivery in here.hub.deliveries for attempt in delivery.attempts]


class Broken(Blind):
    """An engine with a mistake in it."""

    async def heal(self, run: Run, _pull: Any, progress: Callable[[str], Awaitable[None]]) -> Outcome:
        await progress("about to break")
        raise ZeroDivisionError("nobody foresaw this")


# UX-3
async def test_an_unforeseen_end_is_raised_and_told_and_leaves_no_check_run_spinning(
    here: Place, tmp_path: Path, clock: Clock
) -> None:
    queue = DurableEngine(stepped=True)
    async with running(here, tmp_path, queue, clock, Broken) as machine:
        ci_fails(here, "lint")
        await here.hub.settled()
        with pytest.raises(ZeroDivisionError):
            await queue.drain()
        run = await machine.contexts.store(here.repo.id).run(here.pull.head_sha, 1)
    assert run is not None
    assert run.state == "stopped"
    assert heals_check(here) == ("completed", "neutral")
