"""Texts that a change worded otherwise, and tests that expect the old words."""

import pytest

from healing.model import Category, CIError
from healing.verify.faults import Before, faults
from healing.verify.guard import refusals
from healing.verify.guard.patch import Follows
from healing.verify.retold import retellings
from healing.verify.roles import FileRole, Role
from healing.view import DictView
from tests.repair.fixers.repos import Broken


def told(was: str, now: str, path: str = "shop.py") -> tuple[tuple[str, str], ...]:
    return retellings(DictView({path: was.encode()}), DictView({path: now.encode()}))


# JD-2
@pytest.mark.parametrize(
    ("was", "now", "pair"),
    [
        (
            "raise E('Length must be exactly 2.')\n",
            "raise E('Length must be 2.')\n",
            ("Length must be exactly 2.", "Length must be 2."),
        ),
        ("return f'{len(items)} items'\n", "return f'{len(items)} articles'\n", (" items", " articles")),
        ('log("%s was not found", name)\n', 'log("%s is not there", name)\n', (" was not found", " is not there")),
        ("`Hello, ${n}!`;\n", "`Welcome, ${n}!`;\n", ("Hello, ", "Welcome, ")),
    ],
)
def test_what_is_worded_otherwise_is_known_with_what_stands_around_it(
    was: str, now: str, pair: tuple[str, str]
) -> None:
    assert told(was, now)[0] == pair


# JD-2
def test_it_is_known_with_the_next_words_alone_too() -> None:
    """As in a regular expression, in which the rest is escaped."""
    was, now = "raise E('f() is only allowed for b.')\n", "raise E('f() is only possible for b.')\n"
    assert told(was, now) == (
        ("f() is only allowed for b.", "f() is only possible for b."),
        ("only allowed for", "only possible for"),
    )


# JD-2
def test_a_phrase_is_known_by_itself_too() -> None:
    was, now = "raise E(f'{n} is not a known colour in {s}')\n", "raise E(f'{n} has no colour in {s}')\n"
    assert told(was, now) == (
        (" is not a known colour in ", " has no colour in "),
        ("is not a known", "has no"),
    )


# JD-2
@pytest.mark.parametrize(
    ("was", "now", "path"),
    [
        ("say('first text')\n", "tell('other text')\n", "shop.py"),  # more than the text changes
        ("say('first', 'second')\n", "say('other', 'another')\n", "shop.py"),  # which of the two, nobody knows
        ("say('ab')\n", "say('cd')\n", "shop.py"),  # too short to be found again
        ("say(f'{first} it')\n", "say(f'{other} it')\n", "shop.py"),  # a value
        ("say('first text')\n", "say('other text')\n", "tests/test_shop.py"),
        ("say('first text')\n", "say('other text')\n", "README.md"),
        ("", "say('other text')\n", "shop.py"),
    ],
)
def test_other_changes_word_nothing_otherwise(was: str, now: str, path: str) -> None:
    assert told(was, now, path) == ()


WAS, NOW = "def f(n):\n    return f'{n} items'\n", "def f(n):\n    return f'{n} articles'\n"
TEST = "from shop import f\n\n\ndef test_f():\n    assert f(1) == '1 items'\n"


def expected(
    message: str, test: str = TEST, now: str = NOW, category: Category = Category.TEST
) -> list[dict[str, str]]:
    files = {"shop.py": now, "tests/test_shop.py": test}
    broken = Broken(files, {**files, "shop.py": WAS}).said(message, ("tests/test_shop.py", 5), category=category)
    return [broken.after(one) for one in broken.candidates() if one.source == "fixer:changed_text"]


# AF-3
def test_a_test_that_got_the_new_words_expects_them() -> None:
    found = expected("AssertionError: assert '1 articles' == '1 items'")
    assert found == [{"tests/test_shop.py": TEST.replace("items", "articles")}]


# AF-3
@pytest.mark.parametrize(
    "found",
    [
        expected("AssertionError: assert '2 items' == '1 items'"),  # it got something else
        expected("AssertionError: assert '1 articles' == '1 items'", now=WAS),  # the change didn't word it so
        expected("AssertionError: assert '1 articles' == 'one'", test="from shop import f\n"),
        expected("TypeError: '1 articles'", category=Category.TYPE),
    ],
)
def test_else_a_test_stays_as_it_is(found: list[dict[str, str]]) -> None:
    assert found == []


# JD-2
@pytest.mark.parametrize(
    ("new", "message", "at_fault"),
    [
        (TEST.replace("items", "articles"), "assert '1 articles' == '1 items'", True),
        (TEST.replace("items", "articles"), "assert '1 others' == '1 items'", False),
        (TEST.replace("items", "things"), "assert '1 articles' == '1 items'", False),
        (TEST.replace("items", "articles").replace("f(1)", "f(2)"), "assert '1 articles' == '1 items'", False),
        (TEST.replace("==", "!="), "assert '1 articles' == '1 items'", False),
    ],
)
def test_a_test_may_follow_the_words_and_nothing_else(new: str, message: str, at_fault: bool) -> None:
    path, error = "tests/test_shop.py", CIError(id="E", tool="pytest", category=Category.TEST, message=message)
    before = Before(DictView({"shop.py": NOW.encode(), path: TEST.encode()}), DictView({"shop.py": WAS.encode()}))
    changes = {path: (TEST.encode(), new.encode())}
    found = faults(changes, {path: FileRole(Role.TESTS, "")}, (error,), before)
    assert {file: fault.follows for file, fault in found.items()} == (
        {path: Follows(" items", " articles", True)} if at_fault else {}
    )
    refused = refusals(
        changes, (error,), {path: TEST.encode()}.get, at_fault={path: Follows(" items", " articles", True)}
    )
    assert bool(refused) is not at_fault or message == "assert '1 others' == '1 items'"
