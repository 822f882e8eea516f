"""Go: a `return` that lacks the error at its end. The compiler says what it has and what it wants; of an old gopls no
fix can be had for it outside of functions that have an `err`."""

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
ABOVE = 2  # lines in which the condition of the `return` may stand


@dataclass(frozen=True)
class ShortReturn:
    """`nil` where nothing went wrong, `err` right behind `err != nil`."""

    name: str = "short-return"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.line and (e.file or "").endswith(".go") and lacks_error(e))

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for _, line in reported_lines(errors, view):
            if found := RETURN.match(line.text):
                above = b"\n".join(line.lines[-1 - ABOVE :])
                value = b"err" if FAILED.search(above) else b"nil"
                at = line.start + found.end("values")
                spans = {line.file: (EditSpan(at, at, b", " + value),)}
                yield Suggestion(line.file, line.number, f"Return `{value.decode()}` too", spans, LIKELY)


def lacks_error(error: CIError) -> bool:
    """Whether an error says that a `return` has everything but the `error` at the end."""
    found = COUNTED.search(error.message[:1000])
    return found is not None and found[2] == f"{found[1]}, error"
