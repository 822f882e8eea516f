"""sphinx-build and docutils: errors and warnings in documents and docstrings."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, line_format, number
from healing.logs.lines import Line
from healing.model import Category, Severity

_LEVEL = r"(?P<level>WARNING|ERROR|SEVERE|CRITICAL): (?P<message>\S.*)$"
_DOCUMENT = re.compile(
    rf"(?P<file>(?:[A-Za-z]:[\\/])?[^:]{{1,400}}\.(?:rst|md|txt|inc|ipynb))"
    rf"(?::(?P<line>\d{{0,9}}|None))?:{{0,2}} {_LEVEL}"
)
_DOCSTRING = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^:]{1,400}\.pyx?):docstring of [^:]{1,300}:(?P<line>\d{0,9}|None):? ?" + _LEVEL
)
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
        score=0.4 if warning else 0.9,  # warnings fail a build only with -W, which most projects use
    )


FORMAT = line_format(
    "sphinx", (": WARNING: ", ": ERROR: ", ": SEVERE: ", ": CRITICAL: "), (_DOCSTRING, _build), (_DOCUMENT, _build)
)
