"""Copies of tests that go on after a failed assertion."""

import ast

import pytest

from healing.verify.variants.softly import ALL, with_all_results

SOURCE = """
def test_prices():
    assert 1 == 2, "first"
    if True:
        assert 3 == 4, "second"
    else:
        assert 0
    for n in (5, 6):
        assert n == 5, "third"
    assert True
"""


# JD-6
def test_a_copy_reports_every_assertion_that_failed_wherever_it_stands() -> None:
    tree = ast.parse(SOURCE)
    with_all_results(tree, frozenset({"test_prices"}))
    made: dict[str, object] = {}
    exec(compile(ast.fix_missing_locations(tree), "t.py", "exec"), made)
    copy = made[f"test_prices{ALL}"]
    assert callable(copy)
    with pytest.raises(AssertionError) as failed:
        copy()
    assert str(failed.value) == "AssertionError: first | AssertionError: second | AssertionError: third"
