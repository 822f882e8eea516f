"""The flake list: luck is what is red and green on the same commit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.logs.flakes import RecordedOutcome, flake_rates, wilson

OUTCOMES = st.lists(
    st.builds(RecordedOutcome, st.sampled_from(["t::a", "t::b"]), st.sampled_from(["1", "2", "3"]), st.booleans()),
    max_size=40,
)


# IN-6
def test_a_test_that_is_red_and_green_on_one_commit_is_on_the_list() -> None:
    history = [RecordedOutcome("t::a", "1", passed) for passed in (True, False, True, True)]
    (flake,) = flake_rates(history)
    assert (flake.test, flake.runs, flake.red, flake.rate) == ("t::a", 4, 1, 0.25)
    assert flake.low == pytest.approx(0.0456, abs=1e-3)
    assert flake.high == pytest.approx(0.6994, abs=1e-3)


# IN-6
def test_a_test_that_a_commit_broke_is_not() -> None:
    assert (
        flake_rates(
            [
                RecordedOutcome("t::a", "1", True),
                RecordedOutcome("t::a", "2", False),
                RecordedOutcome("t::a", "2", False),
            ]
        )
        == ()
    )


# IN-6
def test_runs_on_commits_where_it_is_broken_do_not_count() -> None:
    history = [
        RecordedOutcome("t::a", "1", True),
        RecordedOutcome("t::a", "1", False),
        *[RecordedOutcome("t::a", "2", False)] * 9,
    ]
    assert [(f.runs, f.red) for f in flake_rates(history)] == [(2, 1)]


# IN-6
def test_the_surest_flake_comes_first() -> None:
    seldom_seen = [RecordedOutcome("t::a", "1", passed) for passed in (True, False)]
    often_seen = [RecordedOutcome("t::b", "1", n % 2 == 0) for n in range(60)]
    assert [f.test for f in flake_rates(seldom_seen + often_seen)] == ["t::b", "t::a"]


# IN-6
@given(OUTCOMES)
def test_rates_lie_in_their_interval_and_no_order_matters(history: list[RecordedOutcome]) -> None:
    flakes = flake_rates(history)
    assert flakes == flake_rates(reversed(history))
    for flake in flakes:
        assert 0 < flake.red < flake.runs
        assert 0 <= flake.low < flake.rate < flake.high <= 1


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_interval_narrows_with_what_is_known(hits: int, misses: int) -> None:
    runs = hits + misses
    low, high = wilson(hits, runs)
    more = wilson(hits * 4, runs * 4)
    assert 0 <= low <= high <= 1
    assert more[1] - more[0] <= high - low
