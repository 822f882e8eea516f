"""docs/security.md names the test of each promise: every one of them exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs" / "security.md").read_text())))


@cache
def _named_in(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text())
    made = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in made)


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_every_test_that_the_page_names_exists(file: str, name: str) -> None:
    assert (ROOT / file).is_file()
    assert not name or name in _named_in(file)


def test_every_promise_and_everybody_who_might_mean_harm_has_a_test() -> None:
    page = (ROOT / "docs" / "security.md").read_text()
    promises = page.split("## What Heal promises, and to whom\n")[1].split("\n## ")[0]
    rows = [line for line in promises.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 10
    assert [row for row in rows if "::test_" not in row] == []
    harm = page.split("## Who might mean harm\n")[1].split("\n## ")[0]
    assert harm.count("\n**") == harm.count("*Not promised:*") == 8
