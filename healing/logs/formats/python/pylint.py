"""pylint: text, colorized, parseable and msvs, in current and old forms."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, at_line, line_format, number
from healing.logs.lines import Line
from healing.model import Category, Severity

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}\.(?:pyi?|toml))"
_CODE = r"(?P<code>[CRWEFI]\d{4})"
_RULE = r"(?: \([a-z][a-z0-9-]{2,80}\))?\s{0,4}$"
_TEXT = re.compile(rf"{_FILE}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}}): {_CODE}: (?P<message>\S.*?){_RULE}")
_PARSEABLE = re.compile(rf"{_FILE}:(?P<line>\d{{1,9}}): \[{_CODE}[^\]]{{0,300}}\] (?P<message>\S.*)$")
_MSVS = re.compile(rf"{_FILE}\((?P<line>\d{{1,9}})\): \[{_CODE}[^\]]{{0,300}}\] ?(?P<message>\S.*)$")
_LETTER = re.compile(rf"{_FILE}:(?P<line>\d{{1,9}}): \[(?P<code>[CRWEF])(?:, ?[^\]]{{0,200}})?\] (?P<message>\S.*)$")
_CATEGORIES = {"E0401": Category.IMPORT, "F0401": Category.IMPORT, "E0611": Category.IMPORT, "E0001": Category.SYNTAX}


def _build(groups: Mapping[str, Any], line: Line) -> Finding:
    column = groups.get("column")
    return Finding(
        tool="pylint",
        code=groups["code"],
        category=_CATEGORIES.get(groups["code"], Category.LINT),
        severity=_SEVERITIES.get(groups["code"][0], Severity.WARNING),
        message=groups["message"],
        file=groups["file"],
        line=number(groups["line"]),
        column=int(column) + 1 if column else None,  # pylint's columns are 0-based
        log_line=line.number,
        excerpt=line.text,
    )


_SEVERITIES = {"E": Severity.ERROR, "F": Severity.ERROR, "I": Severity.NOTE}
FORMAT = line_format(
    "pylint",
    (*at_line(".py", ".pyi", ".toml"), *(f".py({digit}" for digit in range(1, 10))),
    *((pattern, _build) for pattern in (_TEXT, _PARSEABLE, _MSVS, _LETTER)),
)
