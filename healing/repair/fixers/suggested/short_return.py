"""Go: a `return` that lacks the error at its end. The compiler reports what it has and what is wanted; older versions
of gopls have a fix for it only in functions with an `err`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.reported_line import reported_lines
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

COUNTED = re.compile(r"not enough return values\s+have \(([^\n]{0,300})\)\s+want \(([^\n]{0,300})\)")
LITERAL = rb"\{[^\n{}]{0,200}\}"
VALUES = rb"(?P<values>(?:[^\n/{}]|" + LITERAL + rb"){0,300}(?:[\w)\]\"'`]|" + LITERAL + rb"))[ \t\r]*(?=\}|//|$)"
RETURN = re.compile(rb"[ \t]*(?:[^\n]{0,200}\{[ \t]*)?return[ \t]+" + VALUES)
FAILED = re.compile(rb"\berr != nil\b")
ABOVE = 2  # lines in which the condition of the `return` may be


@dataclass(frozen=True)
class ShortReturn:
    """Adds `err` right after `err != nil`, otherwise `nil`."""

    name: str = "short-return"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.line and (e.file or "").endswith(".go") and lacks_error(e))

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for _, line in reported_lines(errors, view):
            if return_match := RETURN.match(line.text):
                above = b"\n".join(line.lines[-1 - ABOVE :])
                value = b"err" if FAILED.search(above) else b"nil"
                at = line.start + return_match.end("values")
                spans = {line.file: (EditSpan(at, at, b", " + value),)}
                yield Suggestion(line.file, line.number, f"Return `{value.decode()}` too", spans, LIKELY)


def lacks_error(error: CIError) -> bool:
    """Whether the message says that a `return` lacks only the `error` at the end."""
    counts = COUNTED.search(error.message[:1000])
    return counts is not None and counts[2] == f"{counts[1]}, error"
