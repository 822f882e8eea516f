"""Runs of one pull request go one after another, those of different ones side by side (law 4)."""

import asyncio
import time
from pathlib import Path

from bot.contexts import Contexts
from bot.durable.engine import DurableEngine
from bot.durable.work import Work
from bot.settings import Settings
from bot.store.attempts import RunRef, ref_of
from bot.store.database import Database
from bot.store.repo import RepoStore
from handlers.model import Run
from tests.bot.conftest import Clock
from tests.bot.hub import no_healer


class SlowWork(Work):
    """Notes who is at work together."""

    def __init__(self, database: Database, contexts: Contexts) -> None:
        super().__init__(database, contexts, quiet_seconds=0)
        self.busy: set[str] = set()
        self.together: set[frozenset[str]] = set()
        self.done = 0

    async def healing(self, ref: RunRef, waited: int = 0) -> float | None:
        self.busy.add(ref.sha[:2])
        self.together.add(frozenset(self.busy))
        for _ in range(200):  # until somebody of another lane is at work too; those of lane 1 never are
            await asyncio.sleep(0.05)
            if len(self.busy) > 1 or ref.sha.startswith("1b"):
                break
        self.busy.discard(ref.sha[:2])
        self.done += 1
        return None


async def asked(store: RepoStore, queue: DurableEngine, name: str, number: int) -> Run:
    """A run of a pull request, which the queue was asked to heal."""
    run = Run(
        repo_id=7, full_name="octo/demo", installation_id=5, sha=name * 20, attempt=1, number=number, state="gathering"
    )  # fmt: skip
    await store.save_run(run)
    await queue.healing(run)
    return run


async def test_one_pull_request_is_serial_and_two_are_parallel(
    tmp_path: Path, database: Database, store: RepoStore, clock: Clock
) -> None:
    queue = DurableEngine(runs_at_once=3, poll=0.05)
    work = SlowWork(database, Contexts(Settings(data=tmp_path), database, queue, no_healer, clock))
    queue.bind(work)
    await queue.launch()
    for name, number in (("1a", 1), ("1b", 1), ("2a", 2)):
        run = await asked(store, queue, name, number)
        await queue.healing(run)
        assert ref_of(run).key == f"heal/5/7/{name * 20}/1"
    async with asyncio.timeout(60):
        while work.done < 3:  # noqa: ASYNC110 -- the engine works by itself
            await asyncio.sleep(0.05)
    await queue.close()
    assert work.done == 3
    assert not any({"1a", "1b"} <= group for group in work.together)
    assert any("2a" in group and len(group) > 1 for group in work.together)


class WaitingWork(Work):
    """The first run of lane 1 waits once, as for CI."""

    def __init__(self, database: Database, contexts: Contexts) -> None:
        super().__init__(database, contexts, quiet_seconds=0)
        self.contexts = contexts
        self.told: list[str] = []

    async def healing(self, ref: RunRef, waited: int = 0) -> float | None:
        name = ref.sha[:2]
        if name == "1a" and "2a" not in self.told:
            self.told += [] if self.told else ["1a waits"]
            return 0.5
        store = self.contexts.store(ref.repo_id, ref.full_name)
        run = await store.run(ref.sha, ref.attempt)
        assert run is not None
        await store.save_run(run.model_copy(update={"state": "done"}))
        self.told.append(name)
        return None


# OP-2
async def test_a_run_that_waits_gives_its_place_to_another_and_keeps_its_concurrency_key(
    tmp_path: Path, database: Database, store: RepoStore
) -> None:
    queue = DurableEngine(runs_at_once=1, poll=0.05)
    work = WaitingWork(database, Contexts(Settings(data=tmp_path), database, queue, no_healer, time.time))
    queue.bind(work)
    await queue.launch()
    for name, number in (("1a", 1), ("1b", 1), ("2a", 2)):
        await asked(store, queue, name, number)
        while not work.told:  # noqa: ASYNC110 -- the first one has begun
            await asyncio.sleep(0.05)
    async with asyncio.timeout(60):
        while len(work.told) < 4:  # noqa: ASYNC110 -- the engine works by itself
            await asyncio.sleep(0.05)
    await queue.close()
    assert work.told == ["1a waits", "2a", "1a", "1b"]
