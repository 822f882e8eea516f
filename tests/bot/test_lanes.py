"""Runs of one pull request go one after another, those of different ones side by side (law 4)."""

import asyncio
from pathlib import Path

from bot.attempts import RunRef, ref_of
from bot.settings import Settings
from bot.store.database import Database
from bot.store.repo import RepoStore
from bot.work import Work
from bot.workflows import DurableQueue
from bot.world import Worlds
from tests.bot.conftest import Clock
from tests.bot.hub import no_healer


class SlowWork(Work):
    """Notes who is at work together."""

    def __init__(self, database: Database, worlds: Worlds) -> None:
        super().__init__(database, worlds, quiet_seconds=0)
        self.busy: set[str] = set()
        self.together: set[frozenset[str]] = set()
        self.done = 0

    async def healing(self, ref: RunRef, waited: int = 0) -> float | None:
        self.busy.add(ref.sha[:2])
        self.together.add(frozenset(self.busy))
        await asyncio.sleep(0.7)
        self.busy.discard(ref.sha[:2])
        self.done += 1
        return None


async def test_one_pull_request_is_serial_and_two_are_parallel(
    tmp_path: Path, database: Database, store: RepoStore, clock: Clock
) -> None:
    queue = DurableQueue(f"sqlite:///{tmp_path / 'engine.db'}", runs_at_once=3, poll=0.05)
    work = SlowWork(database, Worlds(Settings(data=tmp_path), database, queue, no_healer, clock))
    queue.bind(work)
    await queue.launch()
    for name, number in (("1a", 1), ("1b", 1), ("2a", 2)):
        run = await store.open_attempt(name, 5, name * 20, {})
        run = run.model_copy(update={"number": number})
        await store.save_run(run)
        await queue.healing(run)
        await queue.healing(run)
        assert ref_of(run).key == f"heal/5/7/{name * 20}/1"
    async with asyncio.timeout(20):
        while work.done < 3:  # noqa: ASYNC110 -- DBOS says nothing of other workflows' ends
            await asyncio.sleep(0.05)
    await queue.close()
    assert work.done == 3
    assert not any({"1a", "1b"} <= group for group in work.together)
    assert any("2a" in group and len(group) > 1 for group in work.together)
