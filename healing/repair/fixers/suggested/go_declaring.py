"""`=` where Go wants `:=`, and the other way round: the compiler says which, without naming it as a fix."""

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
    """Only on the line that the compiler names, and only for a name that is assigned to there."""

    name: str = "go-declaring"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.line and (e.file or "").endswith(".go") and _tells(e))

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


def _tells(error: CIError) -> bool:
    return NOTHING_NEW in error.message[:500] or bool(UNDEFINED.search(error.message[:500]))


def _sign(error: CIError, line: bytes) -> tuple[int, int, bytes] | None:
    """(start, end, what belongs there) of the sign of an assignment on the line."""
    found = ASSIGNED.match(line)
    if found is None:
        return None
    first, last = found.span("sign")
    if NOTHING_NEW in error.message[:500]:
        return (first, last, b"=") if found["sign"] == b":=" else None
    missing = UNDEFINED.search(error.message[:500])
    assigned = [name.strip() for name in found["names"].split(b",")]
    fits = missing is not None and found["sign"] == b"=" and missing[1].encode() in assigned
    return (first, last, b":=") if fits else None
