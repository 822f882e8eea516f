"""sphinx-build and docutils: errors and warnings in documents and docstrings."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from healing.logs.format import Finding, Format, LineReader, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_LEVEL = r"(?P<level>WARNING|ERROR|SEVERE|CRITICAL): (?P<message>\S.*)$"
_DOCUMENT = re.compile(
    rf"(?P<file>(?:[A-Za-z]:[\\/])?[^:]{{1,400}}\.(?:rst|md|txt|inc|ipynb))"
    rf"(?::(?P<line>\d{{0,9}}|None))?:{{0,2}} {_LEVEL}"
)
_DOCSTRING = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^:]{1,400}\.pyx?):docstring of [^:]{1,300}:(?P<line>\d{0,9}|None):? ?" + _LEVEL
)
_WARNING = 0.4  # warnings fail a build only with -W, which most projects use
_KEPT = 1_000  # errors of one build
_TYPE = re.compile(r" \[(?P<type>[\w.-]{2,60})\]$")


def _build(groups: Mapping[str, Any], line: Line) -> Finding:
    message = groups["message"]
    kind = _TYPE.search(message[-70:])
    warning = groups["level"] == "WARNING"
    return Finding(
        tool="sphinx",
        code=kind["type"] if kind else None,
        category=Category.LINT,
        severity=Severity.WARNING if warning else Severity.ERROR,
        message=message[: len(message) - len(kind[0])] if kind else message,
        file=groups["file"],
        line=number(groups["line"]),
        log_line=line.number,
        excerpt=line.text,
        score=_WARNING if warning else 0.9,
    )


class _Reader(LineReader):
    """Keeps what docutils calls errors until the build reports its end: one that succeeded counts them as warnings."""

    def __init__(self, _paths: Paths) -> None:
        super().__init__(((_DOCSTRING, _build), (_DOCUMENT, _build)))
        self._kept: list[Finding] = []

    def read(self, line: Line) -> Iterable[Finding]:
        """The warnings at once; the errors with the line that reports the end."""
        if line.text.startswith("build succeeded"):
            return [replace(error, severity=Severity.WARNING, score=_WARNING) for error in self.close()]
        found = super().read(line)
        self._kept += [one for one in found if one.severity is Severity.ERROR]
        if len(self._kept) > _KEPT:
            return self.close()
        return [one for one in found if one.severity is not Severity.ERROR]

    def close(self) -> Iterable[Finding]:
        """The errors of a build that reported no success."""
        kept, self._kept = self._kept, []
        return kept


FORMAT = Format("sphinx", (": WARNING: ", ": ERROR: ", ": SEVERE: ", ": CRITICAL: ", "build succeeded"), _Reader)
