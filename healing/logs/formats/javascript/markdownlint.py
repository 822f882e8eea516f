"""markdownlint, as its three command line tools print it: `file:line[:column] [level] MD001/name message`."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, line_format, number
from healing.logs.lines import Line
from healing.model import Category, Severity

_ROW = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}):\s?(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?:? "
    r"(?:(?P<level>error|warning) )?(?P<code>[A-Z]{2,8}\d{3})(?:/(?P<names>[\w/-]{2,120}))? (?P<message>[A-Z].*)$"
)


def _build(groups: Mapping[str, Any], line: Line) -> Finding | None:
    if not groups["names"] and not groups["code"].startswith("MD"):
        return None  # a code alone may be another tool's
    return Finding(
        tool="markdownlint",
        code=groups["code"],
        category=Category.LINT,
        severity=Severity.WARNING if groups["level"] == "warning" else Severity.ERROR,
        message=groups["message"],
        file=groups["file"],
        line=number(groups["line"]),
        column=number(groups["column"]),
        log_line=line.number,
        excerpt=line.text,
    )


FORMAT = line_format("markdownlint", (" MD0", " error MD", " warning MD"), (_ROW, _build))
