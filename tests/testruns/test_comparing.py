"""Tests are compared by id: what is lost, skipped or cut short shows, what is only named otherwise doesn't."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.checks.check import CheckResult
from healing.testruns.comparing import in_words, lost_tests
from healing.testruns.report import RunReport, entry

IDS = st.lists(st.text("ab[]0{} x", max_size=6), max_size=6)


def report(passed: str = "", failed: str = "", skipped: str = "", unrun: str = "", **more: object) -> RunReport:
    """Tests are separated by ` | `."""
    groups = {"passed": passed, "failed": failed, "skipped": skipped, "unrun": unrun}
    entries = {name: tuple(entry(one) for one in text.split(" | ") if one) for name, text in groups.items()}
    return RunReport.model_validate({**entries, **more})


BEFORE = report("a | b | t[1]", "bad")


# JD-3
@pytest.mark.parametrize(
    ("after", "why"),
    [
        (report("a | b | bad"), "1 test that the runner knew before is not there any more"),
        (report("a | b | t[1] | new | newer"), "1 test that the runner knew before is not there any more"),
        (report("a | b | bad | t[1]", early=True), "the test run ended before its end"),
        (report("a | b | bad | t[1]", forged=True), "something else than the test runner wrote to its report"),
        (
            report("a | b | bad | t[1]", altered=("unittest.x",)),
            "the code replaces parts of the test runner: unittest.x",
        ),
        (report("a | b | t[1]", "bad"), "the command exits with 0 although 1 test failed"),
        (report("a | bad | t[1]", skipped="b"), "1 test passed before and now: skipped"),
        (report("a | b | t[1]", skipped="bad"), "1 test failed before and now: skipped"),
        (report("a | b | bad | t[1]", skipped="b"), "1 test passed before and now: skipped"),
        (report("a | b | t[1]", unrun="bad"), "1 test failed before and now: not run to the end"),
        (None, "no test runner reports any more, and one did before"),
    ],
)
def test_what_is_missing_after_a_change_is_reported(after: RunReport | None, why: str) -> None:
    assert why in lost_tests(BEFORE, after, was_green=False, green=True)


# JD-3
@pytest.mark.parametrize(
    "after",
    [
        report("a | b | bad | t[1]"),
        report("bad | b | a | t[1] | new"),
        report("a | b | bad | t[7]"),  # a number that differs from run to run
        report("a | b | bad | t[1]", altered=()),
    ],
)
def test_all_tests_of_before_that_pass_are_no_loss(after: RunReport) -> None:
    assert lost_tests(BEFORE, after, was_green=False, green=True) == ()


# JD-3
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("t[<Thing object at 0x7f01>]", "t[<Thing object at 0x7fab>]"),
        ("t[{'a', 'b'}]", "t[{'b', 'a'}]"),
        ("t[0.123]", "t[0.98]"),
        ("t[2f1e3d4c-0000-4000-8000-00000000000a]", "t[12345678-1111-4111-8111-1111111111ff]"),
        ("t[at 12:03:04]", "t[at 12:03:05]"),
    ],
)
def test_an_id_that_changes_from_run_to_run_is_the_same_test_but_stands_for_one_only(one: str, other: str) -> None:
    assert lost_tests(report(one), report(other), was_green=True, green=True) == ()
    assert lost_tests(report(f"{one} | a"), report("a"), was_green=True, green=True)
    assert lost_tests(report(f"{one} | {one.replace('t[', 't[3 ')}"), report(other), was_green=True, green=True)


# JD-3
def test_another_name_of_a_function_or_a_file_is_another_test() -> None:
    assert lost_tests(report("test_1.py::t"), report("test_2.py::t"), was_green=True, green=True)
    assert lost_tests(report("t[ab]"), report("t[cd]"), was_green=True, green=True)


# JD-3
def test_a_command_that_goes_on_after_failures_may_go_on_to() -> None:
    before, after = report("a", "b | c"), report("a | b", "c")
    assert lost_tests(before, after, was_green=True, green=True) == ()


# JD-3
def test_a_run_that_stops_at_its_first_failure_may_stop_at_a_later_one() -> None:
    before, after = report("a", "b", unrun="c | d"), report("a | b", "c", unrun="d")
    assert lost_tests(before, after, was_green=False, green=False) == ()
    assert lost_tests(before, report("a | b", unrun="c | d"), was_green=False, green=True)


# JD-3
@given(IDS, IDS)
def test_the_same_tests_are_never_a_loss_and_a_test_less_always_is(passed: list[str], new: list[str]) -> None:
    had = {f"{n}{one}" for n, one in enumerate(passed)}
    all_of_it = RunReport(passed=tuple(entry(one) for one in had))
    more = RunReport(passed=tuple(entry(one) for one in [*had, *(f"x{one}" for one in new)]))
    assert lost_tests(all_of_it, more, was_green=True, green=True) == ()
    if had:
        assert lost_tests(more, RunReport(), was_green=True, green=True)


# JD-3
def test_results_that_were_stored_before_there_were_ids_can_be_read() -> None:
    old = '{"check_key": "k", "tree": "t", "exit_code": 0, "errors": [], "output": "1 passed in 0.1s", "seconds": 1.0}'
    assert CheckResult.model_validate_json(old).tests is None
    new = CheckResult(check_key="k", tree="t", exit_code=0, tests=BEFORE)
    assert CheckResult.model_validate_json(new.model_dump_json()).tests == BEFORE


def test_people_are_told_how_many_tests_passed_before_too() -> None:
    assert in_words(BEFORE, report("a | b | t[1] | bad")) == "4 tests passed, 3 of them before the change too"
    assert in_words(None, report("a")) == "1 test passed"
    assert in_words(BEFORE, report("", "a")) == ""
