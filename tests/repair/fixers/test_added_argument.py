"""Calls that lack an argument which the pull request gave to the others."""

import pytest

from healing.model import Category
from tests.repair.fixers.repos import Broken


def called(file: str, was: str, now: str, message: str, *lines: int) -> list[str]:
    """What becomes of a file, for errors at these lines."""
    broken = Broken({file: now}, {file: was})
    for line in lines:
        broken.said(message, (file, line), category=Category.COMPILE)
    return [broken.after(one)[file] for one in broken.candidates() if one.source == "fixer:added_argument"]


RUN = "    def run(self, doc):\n        return last(self.to, doc)\n"
PYTHON = f"def last(ptr, doc):\n    return doc\n\n\nclass Move:\n{RUN}\n\nclass Copy:\n{RUN}"
MISSING = "TypeError: last() missing 1 required positional argument: 'op'"


# AF-3
def test_the_other_calls_get_the_argument_too() -> None:
    now = PYTHON.replace("(ptr, doc)", "(ptr, doc, op)").replace("last(self.to, doc)", "last(self.to, doc, self)", 1)
    expected = now.replace("last(self.to, doc)", "last(self.to, doc, self)")
    assert called("a.py", PYTHON, now, MISSING, 12) == [expected]


# AF-3
@pytest.mark.parametrize("place", ["b, false", "false, b"])
def test_so_it_is_in_go_wherever_the_argument_stands(place: str) -> None:
    was = "package m\n\nfunc f(b int) {}\n\nfunc g(b int) {\n\tf(b)\n\tf(b)\n\tf(2)\n}\n"
    now = was.replace("f(b int) {}", "f(x int, y int) {}").replace("\tf(b)\n", f"\tf({place})\n", 1)
    rest = place.replace("b", "2")
    expected = now.replace("\tf(b)\n", f"\tf({place})\n").replace("\tf(2)\n", f"\tf({rest})\n")
    assert called("m.go", was, now, "not enough arguments in call to f", 7, 8) == [expected]


@pytest.mark.parametrize(
    "now",
    [
        PYTHON.replace("(ptr, doc)", "(ptr, doc, op)"),  # no call has it
        PYTHON.replace("(ptr, doc)", "(ptr, doc, op)").replace("last(self.to, doc)", "last(self.to, doc, doc.x)", 1),
    ],
)
def test_what_no_call_shows_is_not_guessed(now: str) -> None:
    assert called("a.py", PYTHON, now, MISSING, 12) == []


def test_two_calls_that_got_different_arguments_show_nothing() -> None:
    was = "f(a);\nf(b);\nf(c);\n"
    assert called("a.js", was, "f(a, 1);\nf(b, 2);\nf(c);\n", "Expected 2 arguments, but got 1", 3) == []
