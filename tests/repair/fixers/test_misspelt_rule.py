"""A rule of ESLint that a change misspelt in the settings."""

# ruff: noqa: E501  (files in a line each)

import pytest

from healing.model import Category, CIError
from healing.verify.faults import Before, faults
from healing.verify.roles import FileRole, Role
from healing.view import DictView
from tests.repair.fixers.repos import Broken

WAS = "export default [{\n  rules: {\n    'no-restricted-syntax': ['error', 'With'],\n    '@ts/no-unused': 'warn',\n  },\n}];\n"
FLAT = 'Key "rules": Key "{0}": Could not find "{1}" in plugin "@".'


def spelt(file: str, now: str, message: str) -> list[str]:
    broken = Broken({file: now}, {file: WAS}).said(message, (file, 1), category=Category.CONFIG)
    return [broken.after(one)[file] for one in broken.candidates() if one.source == "fixer:misspelt_rule"]


# AF-3
@pytest.mark.parametrize("file", ["eslint.config.mjs", "web/eslint.config.js", ".eslintrc.cjs", ".eslintrc"])
@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("no-restricted-syntax", "no-restricted-sintax", FLAT.format("no-restricted-sintax", "no-restricted-sintax")),
        ("no-unused", "no-unusd", FLAT.format("@ts/no-unusd", "no-unusd")),
        ("no-unused", "no-unusd", "Definition for rule '@ts/no-unusd' not found."),
    ],
)
def test_the_base_spells_a_rule_that_is_unknown(file: str, right: str, wrong: str, message: str) -> None:
    assert spelt(file, WAS.replace(right, wrong), message) == [WAS]


# AF-3
@pytest.mark.parametrize(
    ("now", "wrong"),
    [
        (WAS.replace("no-restricted-syntax", "no-magic-words"), "no-magic-words"),  # another rule
        (WAS.replace("no-restricted-syntax': ['error'", "no-restricted-sintax': ['warn'"), "no-restricted-sintax"),
        (WAS.replace("no-restricted-syntax", "no-restricted-sintax"), "no-continue"),  # what is unknown isn't there
        (WAS.replace("  },", "    'no-restricted-sintax': 'error',\n  },"), "no-restricted-sintax"),  # it is new
    ],
)
def test_what_is_more_than_a_slip_of_the_pen_stays(now: str, wrong: str) -> None:
    assert spelt("eslint.config.mjs", now, FLAT.format(wrong, wrong)) == []


def test_settings_of_others_stay() -> None:
    now = WAS.replace("no-restricted-syntax", "no-restricted-sintax")
    assert spelt("src/rules.mjs", now, FLAT.format("no-restricted-sintax", "no-restricted-sintax")) == []


# JD-1
@pytest.mark.parametrize(
    ("new", "known", "at_fault"),
    [
        (WAS, True, True),
        (WAS, False, False),  # the tree before isn't known
        (WAS.replace("no-restricted-syntax", "no-other"), True, False),  # it was not so before
        (WAS.replace("    'no-restricted-syntax': ['error', 'With'],\n", ""), True, False),
        (WAS.replace("'warn'", "'off'"), True, False),  # another line changes too
    ],
)
def test_settings_are_at_fault_where_only_the_spelling_of_the_base_comes_back(
    new: str, known: bool, at_fault: bool
) -> None:
    path, wrong = "eslint.config.mjs", WAS.replace("no-restricted-syntax", "no-restricted-sintax")
    error = CIError(
        id="E", tool="eslint", category=Category.CONFIG,
        message=FLAT.format("no-restricted-sintax", "no-restricted-sintax"),
    )  # fmt: skip
    before = Before(DictView({path: wrong.encode()}), DictView({path: WAS.encode()}) if known else None)
    found = faults({path: (wrong.encode(), new.encode())}, {path: FileRole(Role.JUDGE, "")}, (error,), before)
    assert [fault.why for fault in found.values()] == (
        ["there is no rule no-restricted-sintax, and this pull request wrote it"] if at_fault else []
    )
