"""Words, or an indentation, that a line lost although the code still needs them."""

import pytest

from tests.repair.fixers.repos import Broken

CODE = """\
class Base:
    kind = 1


class Child(Base):
    def __init__(self, name, size=1):
        self.name = name
        self.size = size


def show(text, unit="EUR"):
    return text + unit


def parse(text, rate=2):
    try:
        return int(text) * rate
    except (TypeError, ValueError):
        return None


def total(items):
    for item in items:
        print(f"{item}")
    return len(items)


NAMES = [
    "first",
    "second",
]
"""


def lost(now: str, message: str, was: str = CODE, file: str = "shop.py") -> list[tuple[str, tuple[str, ...]]]:
    """(text, marks) of what is proposed for lost words."""
    broken = Broken({file: now}, {file: was}).said(message, (file, 3))
    return [(broken.after(c)[file], c.flags) for c in broken.candidates() if c.source == "fixer:lost_words"]


# AF-3
@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        ("class Child(Base):", "class Child:", "AttributeError: 'Child' object has no attribute 'kind'"),
        ("name, size=1", "name, size", "TypeError: Child.__init__() missing 1 required positional argument: 'size'"),
        ('text, unit="EUR"', "text, unit", "TypeError: show() missing 1 required positional argument: 'unit'"),
        ("text, rate=2", "text, rate", "TypeError: parse() missing 1 required positional argument: 'rate'"),
        ("(TypeError, ValueError)", "TypeError", "ValueError: invalid literal for int() with base 10: 'x'"),
        ('print(f"{item}")', 'print("{item}")', "AssertionError: assert '{item}' == '3'"),
        ('"first",', '"first"', "assert 1 == 2"),
        ("    return len(items)", "        return len(items)", "assert total([1, 2]) == 2"),
    ],
)
def test_a_line_gets_back_what_it_lost_with_a_mark(was: str, now: str, message: str) -> None:
    assert CODE.count(was) == 1
    row = CODE[: CODE.index(was)].count("\n") + 1
    assert lost(CODE.replace(was, now), message) == [(CODE, (f"puts back what this change removed at shop.py:{row}",))]


# AF-3
@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        (
            "text, rate=2",
            "text",
            "TypeError: parse() takes 1 positional argument but 2 were given",
        ),  # it may do without
        ("class Child(Base):", "class Child:", "AssertionError: assert 1 == 2"),
        ("(TypeError, ValueError)", "TypeError", "AssertionError: assert 1 == 2"),
        ("(TypeError, ValueError)", "OSError", "ValueError: 1"),  # another word came in its place
        ("    return len(items)", "        return len(items)", "AssertionError: assert 1 == 2"),
        ("    return len(items)", "    return len( items )", "assert total([1, 2]) == 2"),  # its layout alone
        ("return int(text) * rate", "return int(text)", "assert 1 == 2"),
    ],
)
def test_what_no_error_is_about_may_be_meant(was: str, now: str, message: str) -> None:
    assert lost(CODE.replace(was, now), message) == []


# AF-3
@pytest.mark.parametrize("file", ["tests/test_shop.py", "README.md"])
def test_tests_and_prose_keep_what_the_change_made_of_them(file: str) -> None:
    assert lost(CODE.replace("(TypeError, ValueError)", "TypeError"), "ValueError: 1", file=file) == []
