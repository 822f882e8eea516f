"""Money over runs, pull requests and months: booked once, held while it may be spent, never overshot."""

import asyncio
from datetime import UTC, datetime

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.store.database import Database
from bot.store.repo import RepoStore
from bot.store.spending import Caps
from healing.llm.protocol import Usage
from healing.llm.usage_records import Booking
from tests.bot.conftest import Clock
from tests.migrated import new_store

CAPS = Caps(run=10, pull=20, month=200)


def call(key: str, dollars: float) -> Booking:
    return Booking(key=key, model="claude-sonnet-5-5", usage=Usage(input_tokens=10, output_tokens=5), dollars=dollars)


# LM-6
async def test_a_booking_counts_once_however_often_its_reply_is_read_back(store: RepoStore) -> None:
    usage_records = store.usage_records("r1", 3)
    for _ in range(3):
        await usage_records.book(call("k1", 1.5))
    assert await store.spent(run_id="r1") == 1.5


# LM-6
async def test_the_tightest_of_run_pull_request_and_month_is_the_limit(store: RepoStore) -> None:
    assert (await store.hold_room("r1", 3, CAPS)).whose == "this run's"
    await store.release_room("r1")
    await store.usage_records("r0", 3).book(call("a", 14))
    pulls = await store.hold_room("r1", 3, CAPS)
    assert (pulls.whose, pulls.room) == ("this pull request's", 6)
    await store.release_room("r1")
    for number in range(20):
        await store.usage_records(f"q{number}", 50 + number).book(call("a", 9))
    months = await store.hold_room("r1", 4, CAPS)
    assert (months.whose, months.room) == ("this repository's monthly", 6)


# LM-6
async def test_attempts_of_one_run_share_its_budget(store: RepoStore) -> None:
    await store.usage_records("r1", 3).book(call("first attempt", 8))
    assert (await store.hold_room("r1", 3, CAPS)).room == 2


# LM-6
async def test_a_new_month_begins_again_but_not_the_pull_request(store: RepoStore, clock: Clock) -> None:
    clock.at = datetime(2026, 11, 30, 23, 59, tzinfo=UTC).timestamp()
    await store.usage_records("r0", 3).book(call("a", 195))
    assert (await store.hold_room("r1", 4, CAPS)).room == 5
    clock.at += 120
    assert (await store.hold_room("r1", 4, CAPS)).room == 10
    assert (await store.hold_room("r2", 3, CAPS)).room == 0


# LM-6
async def test_another_repositorys_money_is_its_own(database: Database, store: RepoStore, clock: Clock) -> None:
    other = RepoStore(database, 8, "octo/other", clock)
    await store.usage_records("r1", 3).book(call("a", 200))
    assert (await other.hold_room("r1", 3, CAPS)).room == 10


# LM-6
async def test_a_hold_of_a_run_that_never_came_back_does_not_last(store: RepoStore, clock: Clock) -> None:
    caps = Caps(run=10, pull=10, month=200)
    assert (await store.hold_room("dead", 3, caps)).room == 10
    assert (await store.hold_room("next", 3, caps)).room == 0
    clock.at += 7 * 3600
    assert (await store.hold_room("next", 3, caps)).room == 10


# LM-6
async def test_a_run_that_goes_on_after_a_crash_holds_its_own_room_again(store: RepoStore) -> None:
    caps = Caps(run=10, pull=10, month=200)
    await store.hold_room("r1", 3, caps)
    await store.usage_records("r1", 3).book(call("a", 4))
    assert (await store.hold_room("r1", 3, caps)).room == 6


steps = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 2), st.floats(0, 12)), max_size=12)


# LM-6
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_runs_at_the_same_time_never_overshoot_a_limit_that_they_share(
    tmp_path_factory: object, runs: list[tuple[int, int, float]]
) -> None:
    async def play() -> None:
        file = tmp_path_factory.mktemp("money") / "heal.db"  # type: ignore[attr-defined]
        new_store(file)
        database = await Database.open(f"sqlite+aiosqlite:///{file}")
        store = RepoStore(database, 7, "octo/demo", Clock())
        caps = Caps(run=10, pull=15, month=25)

        async def run(index: int, number: int, wish: float) -> None:
            limit = await store.hold_room(f"r{index}", number, caps)
            await asyncio.sleep(0)
            await store.usage_records(f"r{index}", number).book(call(f"{index}-{wish}", min(wish, limit.room)))
            await store.release_room(f"r{index}")

        await asyncio.gather(*(run(index, number, wish) for index, (_, number, wish) in enumerate(runs)))
        assert await store.spent() <= caps.month + 1e-9
        for number in (1, 2):
            assert await store.spent(number=number) <= caps.pull + 1e-9
        await database.close()

    asyncio.run(play())
