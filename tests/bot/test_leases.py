"""What only one worker may do: locks among workers, and a right that ends before others take the work over (OP-3)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import pytest
from sqlalchemy import text

from bot.durable.taking_over import SilentWorkerWatch
from bot.lease import Lease, hold_lease
from bot.store.database import Database
from bot.store.held_session import LeaseLost
from bot.store.locks import LocalLocks, lock_key
from bot.store.repo import RepoStore
from bot.store.workers import Workers, workers
from handlers.errors import UserError
from tests.bot.conftest import Clock
from tests.bot.postgres import postgres

LIMIT = 6.0


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as url:
        yield "postgresql+psycopg://" + url.split("://", 1)[1]


@dataclass
class Worker:
    """One worker's end, in this process: its own pool, session and lease."""

    database: Database
    workers: Workers
    lease: Lease
    ended: list[bool]


@dataclass
class Hall:
    """Where workers begin."""

    url: str
    clock: Clock
    stack: AsyncExitStack
    made: list[Worker] = field(default_factory=list)

    async def worker(self, name: str) -> Worker:
        database = await Database.open(self.url)
        self.stack.push_async_callback(database.close)
        everybody, ended = Workers(database, self.clock), list[bool]()
        lease = await self.stack.enter_async_context(
            hold_lease(database, everybody, name, LIMIT, lambda: ended.append(True))
        )
        self.made.append(Worker(database, everybody, lease, ended))
        return self.made[-1]


@pytest.fixture
async def hall(server: str, clock: Clock) -> AsyncIterator[Hall]:
    async with AsyncExitStack() as stack:
        yield Hall(server, clock, stack)
    database = await Database.open(server)
    async with database.write() as connection:
        await connection.execute(workers.delete())
    await database.close()


def ear(worker: Worker) -> SilentWorkerWatch:
    return SilentWorkerWatch(worker.workers, worker.lease)


# OP-2
async def test_two_workers_never_hold_one_lock_and_do_hold_two(hall: Hall) -> None:
    one, two = await hall.worker("one"), await hall.worker("two")
    order: list[str] = []

    async def post(worker: Worker, name: str, number: int) -> None:
        async with worker.lease.locks.hold(7, "post", number):
            order.append(f"{name} begins {number}")
            await asyncio.sleep(0.3)
            order.append(f"{name} ends {number}")

    async with asyncio.TaskGroup() as group:
        for worker, name in ((one, "one"), (two, "two"), (one, "one again")):
            group.create_task(post(worker, name, 1))
    assert [line.split()[-2] for line in order] == ["begins", "ends"] * 3
    another, elsewhere = two.lease.locks.hold(7, "post", 2), two.lease.locks.hold(8, "post", 1)
    async with one.lease.locks.hold(7, "post", 1), asyncio.timeout(5), another, elsewhere:
        pass


# OP-2
async def test_who_is_cancelled_while_it_waits_for_a_lock_leaves_it_free(hall: Hall) -> None:
    one, two = await hall.worker("one"), await hall.worker("two")

    async def wait(worker: Worker) -> None:
        async with worker.lease.locks.hold(7, "lane", 1):
            await asyncio.sleep(60)

    for delay in (0.0, 0.001, 0.005, 0.02):
        waiting = asyncio.create_task(wait(two))
        await asyncio.sleep(delay)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(5), one.lease.locks.hold(7, "lane", 1):
            pass
    assert await two.lease.held()


def test_locks_have_numbers_of_their_own_that_the_server_takes() -> None:
    keys = {lock_key(repo, kind, n) for repo in range(20) for kind in ("post", "lane") for n in range(50)}
    assert len(keys) == 2000
    assert all(-(2**63) <= key < 2**63 for key in keys)


# OP-3
async def test_a_worker_whose_session_is_over_may_write_nothing_more_and_ends(hall: Hall) -> None:
    one, two = await hall.worker("one"), await hall.worker("two")
    assert one.lease.session is not None
    pid = await one.lease.session.ask(text("SELECT pg_backend_pid()"))
    async with two.database.read() as connection:
        assert (await connection.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})).scalar()
    with pytest.raises(LeaseLost):
        await one.lease.check()
    with pytest.raises(LeaseLost):
        await RepoStore(one.database, 7, "octo/demo", hall.clock).open_attempt("k", 5, "a" * 40, {})
    async with asyncio.timeout(LIMIT):
        while not one.ended:  # noqa: ASYNC110 -- the lease beats by itself
            await asyncio.sleep(0.05)
    assert await two.lease.held()


# OP-3
async def test_a_silent_worker_is_taken_for_dead_and_what_it_writes_then_is_refused(hall: Hall) -> None:
    slow, other = await hall.worker("slow"), await hall.worker("other")
    (beating,) = [task for task in asyncio.all_tasks() if task.get_name() == "beats of slow"]
    beating.cancel()
    await hall.stack.enter_async_context(slow.lease.locks.hold(7, "lane", 9))
    watch, store = ear(other), RepoStore(slow.database, 7, "octo/demo", hall.clock)
    watch.clock = hall.clock

    async def after(seconds: float, *beating: Worker) -> tuple[str, ...]:
        hall.clock.at += seconds
        for worker in beating:
            await worker.lease.renew()
        return await watch.look()

    assert await after(0) == ()
    assert await after(LIMIT + 1, slow, other) == (), "it beats: what counts is that the count went up"
    assert await after(LIMIT, other) == ()
    assert await after(1, other) == ("slow",)
    assert {life.worker for life in await other.workers.all()} == {"other"}
    with pytest.raises(LeaseLost):
        await store.open_attempt("k", 5, "b" * 40, {})
    assert not await slow.lease.held()
    async with asyncio.timeout(5), other.lease.locks.hold(7, "lane", 9):
        pass  # it was the slow one's: its session is over
    assert await other.lease.held()
    assert await RepoStore(other.database, 7, "octo/demo", hall.clock).run("b" * 40, 1) is None


# OP-3
async def test_the_right_ends_by_itself_before_anybody_may_take_the_work_over(hall: Hall) -> None:
    stopped = await hall.worker("stopped")
    at = stopped.lease.clock()
    stopped.lease.clock = lambda: at + LIMIT / 2 + 0.1  # as after SIGSTOP or a suspended machine
    with pytest.raises(LeaseLost, match="has not been able to renew its lease"):
        await stopped.lease.check()
    with pytest.raises(LeaseLost):
        await RepoStore(stopped.database, 7, "octo/demo", hall.clock).open_attempt("k", 5, "c" * 40, {})


# OP-3
async def test_jumps_of_the_time_of_day_make_nobody_dead(hall: Hall) -> None:
    one, two = await hall.worker("one"), await hall.worker("two")
    watch = ear(two)
    for jump in (3600, -7200):
        assert await watch.look() == ()
        hall.clock.at += jump
        await asyncio.sleep(LIMIT / 6)
    assert await watch.look() == ()
    assert await one.lease.held()


# OP-2
async def test_two_workers_of_one_name_are_refused(hall: Hall) -> None:
    await hall.worker("same")
    with pytest.raises(UserError, match="calls itself same"):
        await hall.worker("same")


# OP-2
async def test_with_sqlite_the_right_is_the_file_locks_and_can_not_be_lost(database: Database, clock: Clock) -> None:
    async with hold_lease(database, Workers(database, clock), "heal", LIMIT, lambda: None) as lease:
        assert isinstance(lease.locks, LocalLocks)
        await lease.renew()
        await lease.check()
        assert await lease.held()
    assert database.guard is None
