"""Steps are paid for once: stored before they are used, read back after any death of the process (OP-3)."""

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.store.database import Database
from bot.store.steps import INLINE_BYTES, StoredSteps
from tests.bot.conftest import Clock

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=4), inner, max_size=4),
    max_leaves=10,
)


class Paid:
    """Something that costs: counts how often it was done."""

    def __init__(self, result: Any = "done") -> None:
        self.result = result
        self.times = 0

    async def __call__(self) -> Any:
        self.times += 1
        await asyncio.sleep(0)
        return self.result


# OP-3
@pytest.mark.parametrize("size", [1, INLINE_BYTES - 2, INLINE_BYTES - 1, 10 * INLINE_BYTES])
async def test_after_a_restart_a_stored_result_is_read_back(url: str, clock: Clock, size: int) -> None:
    paid = Paid("ü" + "x" * (size - 2))
    for _ in range(3):
        database = await Database.open(url)
        assert await StoredSteps(database, 7, "run", clock).run("model", {"prompt": 1}, paid) == paid.result
        await database.close()
    assert paid.times == 1


async def test_a_step_that_is_wanted_many_times_at_once_runs_once(database: Database, clock: Clock) -> None:
    paid, steps = Paid(), StoredSteps(database, 7, "run", clock)
    assert set(await asyncio.gather(*(steps.run("model", 1, paid) for _ in range(10)))) == {"done"}
    assert paid.times == 1


async def test_of_two_processes_that_did_the_same_step_the_first_result_counts(
    database: Database, clock: Clock
) -> None:
    one, two = (StoredSteps(database, 7, "run", clock) for _ in range(2))
    results = await asyncio.gather(one.run("model", 1, Paid("a")), two.run("model", 1, Paid("b")))
    assert results[0] == results[1]


async def test_kind_key_run_and_repository_all_tell_steps_apart(database: Database, clock: Clock) -> None:
    paid = Paid()
    for repo, run, kind, key in (
        (7, "r", "a", 1),
        (8, "r", "a", 1),
        (7, "s", "a", 1),
        (7, "r", "b", 1),
        (7, "r", "a", 2),
    ):
        await StoredSteps(database, repo, run, clock).run(kind, key, paid)
    assert paid.times == 5


async def test_a_step_that_raises_stores_nothing(database: Database, clock: Clock) -> None:
    steps = StoredSteps(database, 7, "run", clock)

    async def broken() -> None:
        raise ConnectionError("lost")

    with pytest.raises(ConnectionError):
        await steps.run("model", 1, broken)
    assert await steps.run("model", 1, Paid("second try")) == "second try"


async def test_a_result_that_is_no_json_is_refused_and_not_stored(database: Database, clock: Clock) -> None:
    steps = StoredSteps(database, 7, "run", clock)
    with pytest.raises(TypeError):
        await steps.run("model", 1, Paid({1, 2}))
    assert await steps.run("model", 1, Paid(None)) is None


@given(result=JSON, key=JSON)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_whatever_is_json_comes_back_equal(database: Database, clock: Clock, result: Any, key: Any) -> None:
    kind = f"k{id(result)}"
    first = await StoredSteps(database, 7, "run", clock).run(kind, [key, result], Paid(result))
    again = await StoredSteps(database, 7, "run", clock).run(kind, [key, result], Paid("other"))
    assert first == result
    assert again == result


# WT-1
async def test_a_result_that_is_read_back_says_when_it_was_made(database: Database, clock: Clock) -> None:
    received: list[tuple[str, Any, float]] = []
    steps = StoredSteps(database, 7, "run", clock, on_hit=lambda *hit: received.append(hit))
    await steps.run("check", ["pytest", 0], Paid())
    assert received == []
    made = clock()
    clock.at += 600
    await steps.run("check", ["pytest", 0], Paid())
    assert received == [("check", ["pytest", 0], made)]


async def test_forgetting_one_kind_makes_it_again_and_leaves_the_rest(database: Database, clock: Clock) -> None:
    check, model, steps = Paid(), Paid(), StoredSteps(database, 7, "run", clock)
    other = StoredSteps(database, 7, "another run", clock)
    for again in (False, True):
        if again:
            await steps.forget("check")
        await steps.run("check", 1, check)
        await other.run("check", 1, check)
        await steps.run("model", 1, model)
    assert (check.times, model.times) == (3, 1)
