"""`file:line[:column]: message` of tools that have no file of their own yet: least sure, yields to every tool."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, line_format, number
from healing.logs.lines import Line
from healing.model import Category, Severity

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[\w.@+~()\\/-]{1,300}\.[A-Za-z]\w{0,9})"
_SPOT = r"(?::(?P<line>\d{1,9})(?:[:.](?P<column>\d{1,9}))?|\((?P<row>\d{1,9})(?:,(?P<col>\d{1,9}))?\))"
_ROW = re.compile(rf"\s{{0,8}}{_FILE}{_SPOT}(?:: ?|\s+-\s+|\s+)(?P<message>\S.*)$")

_WARNING = re.compile(r"\W{0,3}(?:warn(?:ing)?\b|W\d{2,4}\b)", re.IGNORECASE)
_NOTE = re.compile(r"\W{0,3}(?:note|info|hint|debug)\b", re.IGNORECASE)
# What places without an error look like: stack frames, progress of tests, table rows.
# Python's own warnings are told with a place too; CI lives with them, and `-W error` makes them tracebacks.
_NO_ERROR = re.compile(r"\w{0,60}Warning: |in [\w<.]+\s*$|\d+(?:\.\d+)?%|(?:PASSED|ok|SKIPPED|XFAIL|XPASS)\b|[|│]|at ")
_SOUNDS_WRONG = re.compile(
    r"error|fatal|fail|invalid|undefined|unexpected|expected|cannot|can't|missing|not found|unused|not defined"
    r"|unresolved|illegal|denied|panic|exception|[A-Z]{1,4}\d{2,5}\b",
    re.IGNORECASE,
)


def _build(groups: Mapping[str, Any], line: Line) -> Finding | None:
    message = groups["message"]
    row, column = number(groups["line"] or groups["row"]), number(groups["column"] or groups["col"])
    if row is None or _NO_ERROR.match(message):
        return None
    severity = Severity.ERROR
    if _NOTE.match(message) or line.mark in ("notice", "debug"):
        severity = Severity.NOTE
    elif _WARNING.match(message) or line.mark == "warning":
        severity = Severity.WARNING
    elif not line.mark and not _SOUNDS_WRONG.search(message):
        return None
    return Finding(
        tool="generic",
        category=Category.LINT if severity is not Severity.ERROR else Category.COMPILE,
        severity=severity,
        message=message,
        file=groups["file"],
        line=row,
        column=column,
        log_line=line.number,
        excerpt=line.text,
        score=0.4 if severity is Severity.ERROR else 0.1,
    )


# A line number follows the colon or bracket; looking for the digit keeps most noise away from the pattern.
FORMAT = line_format("generic", tuple(f"{c}{d}" for c in ":(" for d in range(1, 10)), (_ROW, _build), rank=0)
