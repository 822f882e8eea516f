"""Go: a `return` that lacks the error at its end, or has nothing else. The compiler reports what it has and what is
wanted; older versions of gopls have a fix for it only in functions with an `err`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.reported_line import ReportedLine, reported_lines
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

COUNTED = re.compile(r"not enough return values\s+have \(([^\n]{0,300})\)\s+want \(([^\n]{0,300})\)")
LITERAL = rb"\{[^\n{}]{0,200}\}"
VALUES = rb"(?P<values>(?:[^\n/{}]|" + LITERAL + rb"){0,300}(?:[\w)\]\"'`]|" + LITERAL + rb"))[ \t\r]*(?=\}|//|$)"
RETURN = re.compile(rb"[ \t]*(?:[^\n]{0,200}\{[ \t]*)?return[ \t]+" + VALUES)
ONLY_ERROR = re.compile(rb"[ \t]*return[ \t]+(?=[\w.]{1,60}\(|err\b)")
# What other returns of the function give beside an error.
WITH_ERROR = re.compile(
    rb"^[ \t]+return[ \t]+([^\n]{1,200}?),[ \t]*(?:err|fmt\.Errorf\([^\n]*|errors\.New\([^\n]*)$", re.MULTILINE
)
FAILED = re.compile(rb"\berr != nil\b")
ABOVE = 2  # lines in which the condition of the `return` may be


@dataclass(frozen=True)
class ShortReturn:
    """Adds `err` right after `err != nil`, otherwise `nil`. Where a `return` has nothing but the error, it gets what
    all other returns of the function give beside one."""

    name: str = "short-return"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.line and (e.file or "").endswith(".go") and _is_short(e))

    def calls(
        self, _files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig
    ) -> tuple[Call, ...]:
        return ()

    def read(self, _answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        for error, line in reported_lines(errors, view):
            if not lacks_error(error):
                only, value = ONLY_ERROR.match(line.text), _beside_error(line, view.read(line.file) or b"")
                if only and value:
                    at = line.start + only.end()
                    spans = {line.file: (EditSpan(at, at, value + b", "),)}
                    yield Suggestion(line.file, line.number, f"Return `{value.decode()}` too", spans, LIKELY)
            elif return_match := RETURN.match(line.text):
                above = b"\n".join(line.lines[-1 - ABOVE :])
                value = b"err" if FAILED.search(above) else b"nil"
                at = line.start + return_match.end("values")
                spans = {line.file: (EditSpan(at, at, b", " + value),)}
                yield Suggestion(line.file, line.number, f"Return `{value.decode()}` too", spans, LIKELY)


def lacks_error(error: CIError) -> bool:
    """Whether the message says that a `return` lacks only the `error` at the end."""
    counts = COUNTED.search(error.message[:1000])
    return counts is not None and counts[2] == f"{counts[1]}, error"


def _is_short(error: CIError) -> bool:
    """Whether a `return` lacks the error, or has nothing else."""
    counts = COUNTED.search(error.message[:1000])
    has_only_error = counts is not None and counts[1] == "error" and counts[2].endswith(", error")
    return lacks_error(error) or has_only_error


def _beside_error(line: ReportedLine, data: bytes) -> bytes:
    """What all other returns of an error in the function give beside it; empty where they differ."""
    start = data.rfind(b"\nfunc ", 0, line.start) + 1
    end = data.find(b"\n}", line.start)
    given = {match[1] for match in WITH_ERROR.finditer(data, start, end if end > 0 else len(data))}
    return given.pop() if len(given) == 1 else b""
