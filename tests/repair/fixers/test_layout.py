"""Layout that pycodestyle minds is repaired at the lines that it names, and nowhere else."""

import pytest

from healing.causes import find_causes
from healing.edits.exact import apply_edits
from healing.graph import import_graph
from healing.graph.names import NameIndex
from healing.model import Category, CIError
from healing.repair.fixers.fixer import Repo
from healing.repair.fixers.python.layout import Layout
from healing.view import DictView

UGLY = "import os\nx=1\ndef f( a,b ):\n    return a+ b\nprint(os, x , f)\n"


def flake8(code: str, line: int, file: str = "a.py", tool: str = "flake8") -> CIError:
    return CIError(
        id=f"{code}{line}", tool=tool, code=code, category=Category.FORMAT, message="layout", file=file, line=line
    )


def repaired(text: str, *errors: CIError) -> str | None:
    view = DictView({"a.py": text.encode()})
    (cause,) = find_causes(errors)
    found = list(Layout().propose(cause, errors, Repo(view, NameIndex(view), import_graph(view))))
    return (apply_edits(found[0].edits, view.read)["a.py"] or b"").decode() if found else None


# AF-3
@pytest.mark.parametrize(
    ("codes", "text"),
    [
        ([("E225", 2)], UGLY.replace("x=1", "x = 1")),
        ([("E201", 3), ("E202", 3)], UGLY.replace("( a,b )", "(a,b)")),
        ([("E302", 3), ("E225", 2)], UGLY.replace("x=1", "x = 1").replace("def f", "\n\ndef f")),
        ([("E203", 5)], UGLY.replace("x , f", "x, f")),
    ],
)
def test_a_file_is_repaired_at_the_lines_that_are_named(codes: list[tuple[str, int]], text: str) -> None:
    assert repaired(UGLY, *(flake8(*code) for code in codes)) == text


# AF-3
def test_a_line_that_is_not_named_stays_also_where_it_breaks_the_same_rule() -> None:
    text = "x=1\n\n\n\ny=2\n"
    assert repaired(text, flake8("E225", 5)) == "x=1\n\n\n\ny = 2\n"


@pytest.mark.parametrize("error", [flake8("E501", 2), flake8("C901", 2), flake8("E225", 2, tool="ruff")])
def test_what_is_no_layout_is_left_to_others(error: CIError) -> None:
    assert repaired(UGLY, error) is None


def test_a_file_that_does_not_parse_is_left_alone() -> None:
    assert repaired("x=(\n", flake8("E225", 1)) is None
