"""`=` where Go needs `:=`, and the other way round: the compiler reports it, but suggests no fix."""

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

UNDEFINED = re.compile(r"undefined: (\w{1,100})\b")
NOTHING_NEW = "no new variables on left side of :="
ASSIGNED = re.compile(
    rb"[ \t]*(?:if[ \t]+|for[ \t]+|switch[ \t]+)?(?P<names>\w+(?:,[ \t]*\w+){0,5})[ \t]*(?P<sign>:?=)(?!=)"
)


@dataclass(frozen=True)
class GoDeclaring:
    """Only on the line that the compiler reports, and only for a name that is assigned there."""

    name: str = "go-declaring"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.line and (e.file or "").endswith(".go") and _is_about_declaring(e))

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for error, line in reported_lines(errors, view):
            if sign := _sign(error, line.text):
                first, last, new = sign
                span = EditSpan(line.start + first, line.start + last, new)
                yield Suggestion(line.file, line.number, f"Write `{new.decode()}`", {line.file: (span,)}, LIKELY)


def _is_about_declaring(error: CIError) -> bool:
    return NOTHING_NEW in error.message[:500] or bool(UNDEFINED.search(error.message[:500]))


def _sign(error: CIError, line: bytes) -> tuple[int, int, bytes] | None:
    """(start, end, replacement) for the assignment operator on the line."""
    assignment = ASSIGNED.match(line)
    if assignment is None:
        return None
    first, last = assignment.span("sign")
    if NOTHING_NEW in error.message[:500]:
        return (first, last, b"=") if assignment["sign"] == b":=" else None
    missing = UNDEFINED.search(error.message[:500])
    assigned = [name.strip() for name in assignment["names"].split(b",")]
    fits = missing is not None and assignment["sign"] == b"=" and missing[1].encode() in assigned
    return (first, last, b":=") if fits else None
