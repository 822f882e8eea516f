"""The loop that ends debounce windows looks again when one may end, and lets what a run needs be made meanwhile."""

import asyncio
from pathlib import Path

import pytest

from bot.contexts import Contexts
from bot.durable.engine import DurableEngine
from bot.durable.work import Work
from bot.settings import Settings
from bot.store.attempts import RunRef
from bot.store.database import Database
from bot.store.repo import RepoStore
from tests.bot.conftest import Clock
from tests.bot.hub import no_healer
from tests.bot.test_concurrency_keys import asked

LOOKS = 30  # a minute of them, if each waited for the regular one


class OftenPutOff(Work):
    """Each look finds that the window ends a little later."""

    looks = 0

    async def gather(self, ref: RunRef, at_once: bool = False) -> float | None:
        del ref, at_once
        self.looks += 1
        return 0.01


async def test_a_debounce_window_is_looked_at_when_it_may_end(
    tmp_path: Path, database: Database, store: RepoStore, clock: Clock
) -> None:
    queue = DurableEngine(poll=0.01)
    work = OftenPutOff(database, Contexts(Settings(data=tmp_path), database, queue, no_healer, clock), 0)
    queue.bind(work)
    await queue.launch()
    await asked(store, queue, "1a", 1)
    async with asyncio.timeout(LOOKS):
        while work.looks < LOOKS:  # noqa: ASYNC110 -- the engine works by itself
            await asyncio.sleep(0.01)
    await queue.close()


@pytest.mark.parametrize(("stepped", "times"), [(False, 1), (True, 0)])
async def test_what_a_first_run_needs_is_made_once_beside_the_first_debounce_window_unless_stepped_by_hand(
    tmp_path: Path, database: Database, store: RepoStore, clock: Clock, stepped: bool, times: int
) -> None:
    calls = []

    async def warm_up() -> None:
        calls.append("warm_up")

    queue = DurableEngine(poll=0.01, stepped=stepped)
    contexts = Contexts(Settings(data=tmp_path), database, queue, no_healer, clock)
    queue.bind(Work(database, contexts, quiet_seconds=3600), warm_up)
    await queue.launch()
    assert calls == []
    for name, number in (("1a", 1), ("2a", 2)):
        await asked(store, queue, name, number)
        await asyncio.sleep(0)
    await queue.close()
    assert len(calls) == times
