"""What was stored is heard, whoever dies over it: by one worker, and again later where it has to wait (IN-2)."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.contexts import Contexts
from bot.durable.engine import DELIVERIES_AT_ONCE, DELIVERY_STARTS, DurableEngine
from bot.durable.queue import Queue
from bot.durable.work import Work
from bot.settings import Settings
from bot.store.database import Database
from bot.store.deliveries import Deliveries, TakenDelivery
from bot.store.workers import Workers
from tests.bot.conftest import Clock
from tests.bot.hub import no_healer


async def stored(deliveries: Deliveries, *guids: str, at: float = 100.0) -> None:
    for guid in guids:
        assert await deliveries.store(guid, "check_run", b"{}", at)


# IN-2
async def test_a_delivery_is_taken_by_one_worker_and_given_back_once_that_is_dead(
    database: Database, clock: Clock
) -> None:
    workers, deliveries = Workers(database, clock), Deliveries(database)
    first, _ = await workers.begin("first"), await workers.begin("second")
    await stored(deliveries, "a", "b")
    assert await deliveries.take("first", 1, 100.0) == (("a", 1),)
    assert await deliveries.take("second", 5, 100.0) == (("b", 1),)
    assert await deliveries.give_back("second", ("b",)) == 0, "both live, and are at work"
    await workers.end(first)
    assert await deliveries.give_back("second", ("b",)) == 1
    assert await deliveries.take("second", 5, 100.0) == (("a", 2),)


# OP-3
async def test_after_a_restart_the_same_worker_receives_again_what_it_had_taken(
    database: Database, clock: Clock
) -> None:
    workers, deliveries = Workers(database, clock), Deliveries(database)
    await workers.begin("first")
    await stored(deliveries, "a")
    await deliveries.take("first", 5, 100.0)
    await workers.begin("first")
    assert await deliveries.give_back("first", ()) == 1
    assert await deliveries.take("first", 5, 100.0) == (("a", 2),)


class Noting(Work):
    """Notes what is heard; `waits` have to wait so often, `slow` are never over."""

    def __init__(self, database: Database, folder: Path, clock: Clock) -> None:
        settings = Settings(data=folder)
        super().__init__(
            database, Contexts(settings, database, DurableEngine(stepped=True), no_healer, time.time), quiet_seconds=0
        )
        self.heard: Counter[str] = Counter()
        self.waits: dict[str, int] = {}
        self.slow: set[str] = set()
        self.most = self.busy = 0

    async def delivery(self, guid: str, waited: int = 0) -> float | None:
        self.heard[guid] += 1
        self.busy += 1
        self.most = max(self.most, self.busy)
        await asyncio.sleep(3600 if guid in self.slow else 0)
        self.busy -= 1
        if self.heard[guid] <= self.waits.get(guid, 0):
            return 0.0
        await self.deliveries.done(guid)
        return None

    async def over(self, number: int) -> None:
        """Waits until so many are over."""
        async with asyncio.timeout(20):
            while len(await self.deliveries.waiting("done", "failed")) < number:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


@asynccontextmanager
async def hearing(work: Work) -> AsyncIterator[DurableEngine]:
    engine = DurableEngine("me", poll=0.02)
    engine.bind(work)
    await engine.launch()
    try:
        yield engine
    finally:
        await engine.close()


# IN-2, OP-2
async def test_a_storm_is_received_each_once_so_many_at_a_time_and_what_hangs_holds_up_nobody(
    database: Database, tmp_path: Path, clock: Clock
) -> None:
    work = Noting(database, tmp_path, clock)
    work.slow = {"0"}
    await stored(work.deliveries, *(str(n) for n in range(200)))
    async with hearing(work):
        await work.over(199)
    assert set(work.heard.values()) == {1}
    assert 1 < work.most <= DELIVERIES_AT_ONCE
    async with hearing(work):  # its next life, in which nothing hangs
        work.slow = set()
        await work.over(200)
    assert work.heard["0"] == 2


# OP-3
async def test_what_has_to_wait_is_received_again_later_and_given_up_in_the_end(
    database: Database, tmp_path: Path, clock: Clock
) -> None:
    work = Noting(database, tmp_path, clock)
    work.waits = {"waits": 2, "for ever": 1000}
    await stored(work.deliveries, "waits", "for ever", "plain")
    async with hearing(work):
        await work.over(3)
    assert work.heard == {"waits": 3, "plain": 1, "for ever": DELIVERY_STARTS}
    row = await work.deliveries.get("for ever")
    assert row is not None
    assert row.state == "failed"


# OP-8
async def test_nothing_is_received_while_the_operator_has_stopped_heal(
    database: Database, tmp_path: Path, clock: Clock
) -> None:
    from bot.store.switches import Stop

    work, stop = Noting(database, tmp_path, clock), Stop(database, clock)
    await stop.set("no more")
    await stored(work.deliveries, "a")
    assert await work.take("me", 5) == ()
    await stop.lift()
    async with hearing(work) as engine:
        engine.notify()
        await work.over(1)


# OP-3
async def test_what_ended_the_process_each_time_is_given_up_without_a_further_start() -> None:
    done: list[str] = []

    async def note(what: str) -> None:
        done.append(what)

    def queue() -> Queue[str]:
        return Queue(
            "delivery", 1, 3, lambda _most, _in_hand: note("take"), lambda _in_hand: note("give back"),
            lambda _key, _starts: note("work"), lambda _key, _wait: note("later"), lambda _key: note("give up"),
            lambda _key: note("end"),
        )  # type: ignore[arg-type,return-value]  # fmt: skip

    assert await queue().handle(TakenDelivery("a", 3)) is None
    assert done == ["work", "end"], "the last start that it may have"
    done.clear()
    assert await queue().handle(TakenDelivery("a", 4)) is None
    assert done == ["give up", "end"]
