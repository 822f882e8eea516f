"""A test that is lost or skipped by a change is seen in what the runner says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.verify.guard.counts import Counts, counts, why_fewer_pass


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("===== 2 failed, 5 passed, 1 skipped, 1 xfailed in 0.31s =====", Counts(5, 2, 2)),
        ("5 passed, 3 deselected in 0.10s", Counts(5, 0, 0)),
        ("Ran 7 tests in 0.004s\n\nFAILED (failures=1, errors=1, skipped=2)", Counts(3, 2, 2)),
        ("Ran 7 tests in 0.004s\n\nOK", Counts(7, 0, 0)),
        ("Tests:       1 failed, 2 skipped, 1 todo, 9 passed, 13 total", Counts(9, 1, 3)),
        ("      Tests  1 failed | 9 passed | 2 skipped (12)", Counts(9, 1, 2)),
        ("  3 passing (8ms)\n  1 pending\n  2 failing\n", Counts(3, 2, 1)),
        ("test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out", Counts(3, 1, 2)),
        (
            "test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed; 0 ignored",
            Counts(5, 0, 0),
        ),
        ("     Summary [   0.01s] 5 tests run: 4 passed, 1 failed, 2 skipped", Counts(4, 1, 2)),
        ("--- PASS: TestA (0.00s)\n    --- SKIP: TestA/b (0.00s)\n--- FAIL: TestC (0.01s)\n", Counts(1, 1, 1)),
        ("# pass 4\n# fail 1\n# skipped 2\n# todo 0", Counts(4, 1, 2)),
        ("ok  \texample.com/a\t0.01s", None),
        ("all is well", None),
    ],
)
def test_what_ran_is_distinguished_from_each_runner_s_summary(output: str, expected: Counts | None) -> None:
    assert counts(output) == expected
    assert counts(f"\x1b[31m{output}\x1b[0m".replace("\x1b[31m", "", 1)) == expected


# CK-5
@pytest.mark.parametrize(
    ("after", "why"),
    [
        ("7 passed in 0.1s", "fewer tests ran"),
        ("6 passed, 2 skipped in 0.1s", "more tests are skipped"),
        ("5 passed, 3 deselected in 0.1s", "fewer tests pass"),
        ("nothing to do", "no test ran any more"),
    ],
)
def test_a_lost_test_is_seen(after: str, why: str) -> None:
    assert any(why in text for text in why_fewer_pass("1 failed, 7 passed in 0.2s", after))


@pytest.mark.parametrize("after", ["8 passed in 0.1s", "9 passed in 0.1s", "1 failed, 7 passed in 0.3s"])
def test_a_fix_loses_no_test(after: str) -> None:
    assert why_fewer_pass("1 failed, 7 passed in 0.2s", after) == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1 error in 0.2s", "50 passed, 2 skipped in 1.0s"),  # what could not be collected before
        ("1 passed, 1 error in 0.2s", "1 passed in 0.2s"),  # an error while a fixture was torn down
        ("all is well", "all is well"),
    ],
)
def test_what_an_earlier_error_hid_is_no_loss(before: str, after: str) -> None:
    assert why_fewer_pass(before, after) == ()


@given(st.text(max_size=400), st.text(max_size=400))
def test_no_output_breaks_the_count(before: str, after: str) -> None:
    why_fewer_pass(before, after)


# CK-5
def test_a_failed_part_of_a_test_is_no_test_of_its_own() -> None:
    parts = "".join(f"SUBFAILED(i={i}) t.py::T::test_a - x\n" for i in (1, 3))
    before = f"{parts}2 failed, 2 passed, 3 subtests passed in 1.8s\n"
    assert why_fewer_pass(before, "2 passed, 5 subtests passed in 1.8s\n") == ()


def test_go_without_v_tells_of_failures_alone_so_that_green_says_nothing_about_how_many_ran() -> None:
    before = "--- FAIL: TestParse (0.00s)\n    x_test.go:3: no\nFAIL\nFAIL\texample.com/x\t0.01s\n"
    assert why_fewer_pass(before, "ok  \texample.com/x\t0.01s\n") == ()
    assert why_fewer_pass(before, "ok  \texample.com/x\t(cached)\n") == ()
    assert why_fewer_pass(before, "ok  \texample.com/x\t0.01s [no tests to run]\n")
    assert why_fewer_pass(before, "?   \texample.com/x\t[no test files]\n")
