"""Which lines may be at fault, by what the tracer says, and how patches are put in order."""

from typing import Any

import pytest

from healing.repair.search.patches import Patch, distinct, make_patches, only_reverts
from healing.repair.search.source import Change
from healing.repair.search.suspects import read_trace
from healing.view import DictView

TOLD: dict[str, Any] = {
    "failing": 2,
    "passing": 6,
    "lines": [["a.py", 1, 2, 0], ["a.py", 2, 2, 6], ["a.py", 3, 1, 0], ["a.py", 4, 0, 6], ["tests/test_a.py", 1, 2, 0]],
    "imported": [["b.py", 1]],
    "failed": ["tests/test_a.py::test_x"],
    "modules": ["json"],
}


# AF-6
def test_only_lines_that_every_failing_test_ran_are_suspicious_the_more_the_fewer_passing_ones_did() -> None:
    trace = read_trace(TOLD)
    assert trace.scores == {"a.py": {1: 1.0, 2: 0.5}, "b.py": {1: 0.5}}
    assert trace.failed == ("tests/test_a.py::test_x",)


@pytest.mark.parametrize(
    "reported",
    [None, 7, [], {}, {"failing": 0}, {"failing": "2"}, {"failing": 1, "lines": [["a.py"]], "imported": "x"},
     {"failing": 1, "lines": [[1, 2, 3, 4], ["a.py", "1", 1, 1]], "modules": [3], "failed": {"a": 1}}],
)  # fmt: skip
def test_whatever_comes_out_of_the_sandbox_nothing_is_believed_of_it(reported: Any) -> None:
    trace = read_trace(reported)
    assert trace.scores == {}
    assert trace.failed == trace.modules == ()


def test_patches_on_lines_that_the_pull_request_wrote_come_first() -> None:
    view = DictView({"a.py": b"def f(a):\n    return a < 1\n\n\ndef g(a):\n    return a < 2\n"})
    before = DictView({"a.py": b"def f(a):\n    return a < 1\n"})
    trace = read_trace({"failing": 1, "passing": 1, "lines": [["a.py", 2, 1, 0], ["a.py", 6, 1, 1]]})
    lines = [patch.change.line for patch in make_patches(trace, view, before)]
    assert lines == sorted(lines, reverse=True)
    assert set(lines) == {2, 6}
    assert {p.change.line for p in make_patches(trace, view, None)[:2]} == {2}


def _patch(text: str, start: int = 0, end: int = 0) -> Patch:
    return Patch("a.py", "constant", Change(start, end, text, 1, "x"), 1.0, False, False)


def test_patches_that_are_the_same_program_count_once() -> None:
    view = DictView({"a.py": b"x = 1\n"})
    assert len(distinct([_patch("2", 4, 5), _patch(" 2", 4, 5), _patch("3", 4, 5)], view)) == 2


# AF-6
def test_giving_back_what_the_pull_request_took_away_is_no_repair() -> None:
    now, before = b"x = 2\n", DictView({"a.py": b"x = 1\n"})
    assert only_reverts(_patch("1", 4, 5), now, before)
    assert not only_reverts(_patch("3", 4, 5), now, before)
    assert not only_reverts(_patch("1", 4, 5), now, None)
