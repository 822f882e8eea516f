"""The flake list: luck is what is red and green on the same commit."""

from hypothesis import given
from hypothesis import strategies as st

from healing.logs.flakes import RecordedOutcome, flaky_tests, wilson

OUTCOMES = st.lists(
    st.builds(RecordedOutcome, st.sampled_from(["t::a", "t::b"]), st.sampled_from(["1", "2", "3"]), st.booleans()),
    max_size=40,
)


# IN-6
def test_a_test_that_is_red_and_green_on_one_commit_is_on_the_list() -> None:
    history = [RecordedOutcome("t::a", "1", passed) for passed in (True, False, True, True)]
    (flake,) = flaky_tests(history)
    assert (flake.test, flake.red, flake.lucky) == ("t::a", 1, 1)


# IN-6
def test_a_test_that_a_commit_broke_is_not() -> None:
    broken = [RecordedOutcome("t::a", "1", True), *[RecordedOutcome("t::a", "2", False)] * 2]
    assert flaky_tests(broken) == ()


# IN-6
def test_red_runs_of_a_commit_where_it_is_broken_are_not_by_chance() -> None:
    history = [
        RecordedOutcome("t::a", "1", True),
        RecordedOutcome("t::a", "1", False),
        *[RecordedOutcome("t::a", "2", False)] * 9,
    ]
    assert [(f.red, f.lucky) for f in flaky_tests(history)] == [(2, 1)]


# IN-6
@given(OUTCOMES)
def test_shares_lie_in_their_interval_and_no_order_matters(history: list[RecordedOutcome]) -> None:
    flakes = flaky_tests(history)
    assert flakes == flaky_tests(reversed(history))
    for flake in flakes:
        assert 0 < flake.lucky <= flake.red
        assert 0 <= flake.low < flake.lucky / flake.red <= flake.high + 1e-9 <= 1 + 1e-9


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_interval_narrows_with_what_is_known(hits: int, misses: int) -> None:
    runs = hits + misses
    low, high = wilson(hits, runs)
    more = wilson(hits * 4, runs * 4)
    assert 0 <= low <= high <= 1
    assert more[1] - more[0] <= high - low
