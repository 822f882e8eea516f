"""The command that gets a language server's quick fixes, and reading its output; the protocol is in
language_server.py."""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from healing.edits.exact import EditSpan
from healing.repair.fixers.suggested.offsets import Offsets
from healing.repair.fixers.suggested.suggester import objects
from healing.repair.fixers.suggested.suggestion import LIKELY, SURE, Suggestion
from healing.view import TreeView


@cache
def program(name: str) -> str:
    """The text of a program of this package that runs in the sandbox, where Heal's own files can't be read."""
    return (package_files(__package__) / name).read_text("utf-8")


def asking(server: Iterable[str], language: str, files: Iterable[str], options: Any = None) -> tuple[str, ...]:
    """The command that requests quick fixes of `server` for files, relative to the folder where it runs."""
    words = [json.dumps(list(server)), language, json.dumps(sorted(files)), json.dumps(options or {})]
    return ("python", "-I", "-c", program("language_server.py"), *words)


def quick_fixes(answer: str, view: TreeView) -> Iterator[tuple[Suggestion, str]]:
    """The quick fixes in an answer, each with the server's message about the problem."""
    for fix in objects(answer):
        try:
            replacements = {file: _spans(edits, view, file) for file, edits in fix["edits"].items()}
            if not all(replacements.values()):
                continue
            codes = (fix["code"],) if fix["code"] else ()
            certainty = SURE if fix["preferred"] else LIKELY
            title = str(fix["title"])[:200]
            yield (
                Suggestion(str(fix["file"]), int(fix["line"]) + 1, title, replacements, certainty, codes),
                str(fix["message"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            continue


def _spans(edits: list[list[Any]], view: TreeView, file: str) -> tuple[EditSpan, ...]:
    """The edits as spans of bytes; none where one of them doesn't fit."""
    offsets = Offsets(view.read(file) or b"")
    spans: list[EditSpan] = []
    for first, column, last, end_column, text in edits:
        start, end = offsets.at_units(first, column), offsets.at_units(last, end_column)
        if start is None or end is None:
            return ()
        spans.append(EditSpan(start, end, str(text).encode()))
    return tuple(spans)
