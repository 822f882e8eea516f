"""The gallery shows every text that Heal posts, as the functions make it today."""

import ast
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from types import FrameType
from typing import Any

import handlers.comments
from tests.gallery.catalogue import catalogue
from tests.gallery.page import PAGE, page
from tests.gallery.pictures import DASHBOARD, DOCS, MAX_BYTES, PAGES, PICTURES, SCHEMES, SIZES, TEXTS, file_of
from tests.gallery.pictures import page as gallery
from tests.web.windows import NOTHING
from tests.web.windows import PAGES as WINDOWS

NOT_FOR_PEOPLE = {"rejection_message"}  # models read what it makes
# What the texts are written with, and what git gets.
Trace = Callable[[FrameType, str, object], Any]
TOOLS = {f"{name}.py" for name in ("__init__", "clean", "hints", "marks", "patch", "trailers")}
EMPTY = ("''", "()", "None")


def statements() -> dict[str, set[int]]:
    """The file of each module of texts, and the lines where a statement of one of its functions begins."""
    found: dict[str, set[int]] = {}
    for path in Path(handlers.comments.__path__[0]).glob("*.py"):
        if path.name in TOOLS:
            continue
        lines: set[int] = set()
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and function.name not in NOT_FOR_PEOPLE:
                lines |= {one.lineno for statement in function.body for one in _all(statement)}
        found[str(path)] = lines
    return found


def _all(statement: ast.stmt) -> list[ast.stmt]:
    """A statement with those inside it, but for docstrings and returns of no text."""
    return [one for one in ast.walk(statement) if isinstance(one, ast.stmt) and not _is_empty(one)]


def _is_empty(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return True
    return isinstance(statement, ast.Return) and statement.value is not None and ast.unparse(statement.value) in EMPTY


def executed_by_the_catalogue(files: Collection[str]) -> dict[str, set[int]]:
    lines: dict[str, set[int]] = {file: set() for file in files}

    def note(frame: FrameType, event: str, _argument: object) -> Trace | None:
        if frame.f_code.co_filename not in lines:
            return None
        if event == "line":
            lines[frame.f_code.co_filename].add(frame.f_lineno)
        return note

    before = sys.gettrace()
    sys.settrace(note)
    try:
        catalogue()
    finally:
        sys.settrace(before)
    return lines


# GH-2 GH-3 GH-4
def test_the_page_of_texts_is_what_the_functions_say_today() -> None:
    assert PAGE.read_text() == page(), "run `make gallery`"


# GH-2 GH-3 GH-4
def test_no_statement_that_makes_a_text_is_missing_from_the_page() -> None:
    wanted = statements()
    seen = executed_by_the_catalogue(wanted)
    assert {Path(file).name: sorted(lines - seen[file]) for file, lines in wanted.items() if lines - seen[file]} == {}


def test_no_place_is_shown_without_a_text() -> None:
    empty = [(heading, where) for heading, texts in catalogue().items() for where, text in texts if not text.strip()]
    assert empty == []


# OP-11
def test_the_gallery_shows_every_page_at_both_widths_in_both_themes_and_stays_small() -> None:
    wanted = {file_of(name, size, scheme).name for name in (*PAGES, *TEXTS) for size in SIZES for scheme in SCHEMES}
    there = list((DOCS / PICTURES).iterdir())
    assert {one.name for one in there} == wanted
    assert (DOCS / "gallery.md").read_text() == gallery(), "run `make gallery`"
    assert sum(one.stat().st_size for one in there) < MAX_BYTES
    assert {path for _, path in DASHBOARD.values()} >= {path for path in WINDOWS if "?" not in path} - {NOTHING}
