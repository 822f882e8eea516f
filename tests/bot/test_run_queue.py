"""Whose turn it is to be healed: by lanes, limits, who waits and fair shares; the engine starts what may begin."""

import pytest

from bot.store.attempts import RunRef
from bot.store.cluster_tasks import ClusterTaskRows, TaskKey
from bot.store.database import Database
from bot.store.repo import RepoStore
from bot.store.run_queue import EPOCH, RunLimits, RunQueue
from bot.store.workers import Workers
from tests.bot.conftest import Clock

T0 = float(EPOCH + 1_000_000)


@pytest.fixture
def run_queue(database: Database) -> RunQueue:
    return RunQueue(database, RunLimits(of_a_repo=2))


class Order:
    """Puts runs into the queue in a few words: `await ask("a", concurrency_key="1")`."""

    def __init__(self, database: Database, run_queue: RunQueue, clock: Clock) -> None:
        self.database, self.run_queue, self.clock = database, run_queue, clock

    async def ask(
        self,
        name: str,
        concurrency_key: str = "",
        at: float = 0.0,
        installation: int = 5,
        repo: int = 7,
        waited_for: bool = True,
    ) -> RunRef:
        sha = name * 40
        store = RepoStore(self.database, repo, "octo/demo", self.clock)
        await store.open_attempt(f"check_run:{name}", installation, sha, {})
        ref = RunRef(installation_id=installation, repo_id=repo, full_name="octo/demo", sha=sha, attempt=1)
        await self.run_queue.enqueue(ref, concurrency_key or name, T0 + at, waited_for)
        return ref

    async def begin(self) -> str:
        return "".join(taken.key.sha[0] for taken in await self.run_queue.take("me", 99, T0 + 1e6))

    async def over(self, ref: RunRef, state: str = "done") -> None:
        store = RepoStore(self.database, ref.repo_id, ref.full_name, self.clock)
        run = await store.run(ref.sha, ref.attempt)
        assert run is not None
        await store.save_run(run.model_copy(update={"state": state}))
        await self.run_queue.end(ref)


@pytest.fixture
def order(database: Database, run_queue: RunQueue, clock: Clock) -> Order:
    return Order(database, run_queue, clock)


# OP-2
async def test_runs_of_one_concurrency_key_begin_one_after_another_and_a_repository_has_no_more_than_its_share(
    order: Order,
) -> None:
    first = await order.ask("a", concurrency_key="7/1")
    await order.ask("b", concurrency_key="7/1", at=1)
    await order.ask("c", concurrency_key="7/2", at=2)
    await order.ask("d", concurrency_key="7/3", at=3)
    await order.ask("e", concurrency_key="8/1", at=4, repo=8)
    assert await order.begin() == "ace", "b waits for a's lane, d for a place of the repository"
    assert await order.begin() == ""
    await order.over(first)
    assert await order.begin() == "b", "the oldest that may"


# OP-2
async def test_a_limit_for_all_workers_together_holds(database: Database, clock: Clock) -> None:
    order = Order(database, RunQueue(database, RunLimits(of_a_repo=9, in_all=2)), clock)
    first = await order.ask("a")
    await order.ask("b", at=1, repo=8)
    await order.ask("c", at=2, repo=9)
    assert await order.begin() == "ab"
    await order.over(first)
    assert await order.begin() == "c"


# OP-2
async def test_who_waits_goes_before_what_nobody_waits_for_but_nobody_waits_for_ever(
    database: Database, clock: Clock
) -> None:
    order = Order(database, RunQueue(database, RunLimits(of_a_repo=9, in_all=1)), clock)
    first = await order.ask("a")
    assert await order.begin() == "a"
    night = await order.ask("b", at=1, waited_for=False, repo=8)
    person = await order.ask("c", at=600, repo=9)
    late = await order.ask("d", at=3600, repo=10)
    for over, following in ((first, "c"), (person, "b"), (night, "d"), (late, "")):
        await order.over(over)
        assert await order.begin() == following


# OP-2
async def test_an_installation_with_many_runs_does_not_keep_another_waiting(database: Database, clock: Clock) -> None:
    order = Order(database, RunQueue(database, RunLimits(of_a_repo=99, in_all=1)), clock)
    refs = {name: await order.ask(name, at=index) for index, name in enumerate("abcdef")}
    assert await order.begin() == "a"
    refs["g"] = await order.ask("g", at=10, installation=6, repo=8)
    begun = ["a"]
    for _ in range(6):
        await order.over(refs[begun[-1]])
        begun.append(await order.begin())
    assert "".join(begun) == "agbcdef"


# IN-3
async def test_a_run_that_is_over_is_in_nobodys_way_and_is_never_asked_for_again(order: Order) -> None:
    first = await order.ask("a", concurrency_key="7/1")
    await order.ask("b", concurrency_key="7/1", at=1)
    assert await order.begin() == "a"
    store = RepoStore(order.database, 7, "octo/demo", order.clock)
    run = await store.run(first.sha, 1)
    assert run is not None
    await store.save_run(run.model_copy(update={"state": "superseded"}))  # its worker has not noticed yet
    assert await order.begin() == "b"
    await order.run_queue.enqueue(first, "7/1", T0, waited_for=True)  # a gathering that is done again after a crash
    second = first.model_copy(update={"sha": "b" * 40})
    assert await order.run_queue.give_back("me", ()) == 1
    assert await order.run_queue.take("me", 99, T0 + 1e6) == ((second, 2),)
    assert await store.end_debouncing(second.sha, 1, quiet=float("-inf")) == 0
    assert await order.run_queue.missing() == ()
    await order.run_queue.end(second)  # as if an older Heal had never asked
    assert [ref.sha[0] for ref in await order.run_queue.missing()] == ["b"]


# OP-3
async def test_a_run_whose_worker_is_dead_is_taken_by_another_one_and_keeps_its_concurrency_key(order: Order) -> None:
    workers, run_queue = Workers(order.database, order.clock), order.run_queue
    first, _ = await workers.begin("first"), await workers.begin("second")
    run = await order.ask("a", concurrency_key="7/1")
    await order.ask("b", concurrency_key="7/1", at=1)
    assert await run_queue.take("first", 9, T0) == ((run, 1),)
    assert await run_queue.give_back("second", ()) == 0, "both live"
    await workers.end(first)
    assert await run_queue.give_back("second", ()) == 1
    assert await run_queue.take("second", 9, T0) == ((run, 2),)


# OP-2
async def test_a_run_that_waits_is_not_taken_before_its_time_nor_is_the_next_one_of_its_concurrency_key(
    order: Order,
) -> None:
    run = await order.ask("a", concurrency_key="7/1")
    await order.ask("b", concurrency_key="7/1", at=1)
    await order.run_queue.take("me", 9, T0)
    await order.run_queue.later(run, T0 + 60)
    assert await order.run_queue.take("me", 9, T0 + 59) == ()
    assert await order.run_queue.take("me", 9, T0 + 60) == ((run, 2),)


# OP-2
async def test_a_worker_takes_so_many_tasks_of_a_run_and_leaves_the_rest_to_others(
    database: Database, clock: Clock
) -> None:
    rows = ClusterTaskRows(database, clock)
    keys = [TaskKey(7, "a" * 40, 1, f"cluster-{number}") for number in range(6)]
    for key in keys:
        clock.at += 1
        await rows.ask(key, "{}")
    taken = [task.key for task in await rows.take("one", 8, (), of_a_run=4)]
    assert taken == keys[:4]
    assert await rows.take("one", 4, taken, of_a_run=4) == ()
    assert [task.key for task in await rows.take("two", 8, (), of_a_run=4)] == keys[4:]
    await rows.end(keys[5])
    assert (await rows.over(keys[5]), await rows.over(keys[4])) == (True, False)
    assert await rows.give_back("two", (keys[4],)) == 4, "worker one has no row among the living"
