"""Lines that are indented by too much or too little."""

import pytest

from healing.model import Category
from healing.repair.fixers.python.indentation_slip import reindented
from healing.repair.fixers.python.syntax_slip import repaired
from tests.repair.fixers.repos import Broken

WHOLE = "class A:\n    def f(self, a):\n        if a:\n            a += 1\n        return a\n"


# AF-3
@pytest.mark.parametrize(
    "broken",
    [
        WHOLE.replace("        return", "       return"),
        WHOLE.replace("        return", "         return"),
        WHOLE.replace("            a +=", "        a +="),
        WHOLE.replace("        if a:", "       if a:"),
    ],
)
def test_a_line_is_indented_as_those_around_it(broken: str) -> None:
    files = [new.decode() for new, _ in reindented(broken.encode())]
    assert WHOLE in files[:5]


# AF-3
def test_what_parses_or_is_no_text_is_left() -> None:
    assert not list(reindented(WHOLE.encode()))
    assert not list(reindented(b"\xff\xfe\n  x\n"))
    assert not list(reindented(b""))
    assert not list(reindented(b"if (:\n"))


# AF-3
def test_the_fixer_says_which_line() -> None:
    broken = Broken({"a.py": WHOLE.replace("        return", "       return")})
    broken.said("IndentationError: unindent does not match", ("a.py", 5), category=Category.INDENTATION)
    source, files = broken.top()
    assert (source, files) == ("fixer:indentation_slip", {"a.py": WHOLE})


# AF-3
def test_a_bracket_is_closed_before_the_word_that_shows_that_it_is_open() -> None:
    text = b"def f(e):\n    raise ValueError(f'no {e!r}' from e\n"
    assert b"def f(e):\n    raise ValueError(f'no {e!r}') from e\n" in [new for new, _, _ in repaired(text)]
