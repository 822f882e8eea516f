"""isort --check and formatters with the same output."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, line_format
from healing.logs.lines import Line
from healing.model import Category

_UNSORTED = re.compile(r"ERROR: (?P<file>\S.{0,500}) (?P<message>Imports are incorrectly sorted and/or formatted\.)")
_UNPARSED = re.compile(
    r"ERROR: (?P<file>\S.{0,500}) (?P<message>(?:Unable to parse|was skipped|File contains).{0,300})$"
)


def _build(groups: Mapping[str, Any], line: Line) -> Finding:
    return Finding(
        tool="isort",
        category=Category.FORMAT,
        message=groups["message"],
        file=groups["file"],
        log_line=line.number,
        excerpt=line.text,
        suggestion="Run isort on this file.",
    )


FORMAT = line_format("isort", ("Imports are incorrectly sorted", "ERROR: "), (_UNSORTED, _build), (_UNPARSED, _build))
