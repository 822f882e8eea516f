"""Workflow commands, and the runner's output of them: `::error file=…,line=…::message`, `##[error]message`."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from healing.logs.format import Finding, line_format, number
from healing.logs.formats.generic.quiet import only_reports_an_end
from healing.logs.lines import Line
from healing.model import Category, Severity

_SEVERITY = {"error": Severity.ERROR, "warning": Severity.WARNING, "notice": Severity.NOTE}

_LAST = 0.1  # below any line that says why


def _command(groups: Mapping[str, Any], line: Line) -> Finding:
    keys = dict(pair.partition("=")[::2] for pair in (groups["keys"] or "").strip().split(",") if "=" in pair)
    title = unquote(keys.get("title", ""))
    message = unquote(groups["message"])
    return Finding(
        tool="annotation",
        code=title or None,
        category=Category.COMPILE,
        severity=_SEVERITY[groups["level"]],
        message=message or title,
        file=unquote(keys["file"]) if keys.get("file") else None,
        line=number(keys.get("line")),
        column=number(keys.get("col")),
        end_line=number(keys.get("endLine")),
        end_column=number(keys.get("endColumn")),
        log_line=line.number,
        excerpt=line.text,
        score=0.8 if keys.get("file") else 0.5,
    )


def _marked(groups: Mapping[str, Any], line: Line) -> Finding | None:
    if line.mark != "error":
        return None
    return Finding(
        tool="annotation",
        category=Category.CONFIG,
        message=groups["message"],
        log_line=line.number,
        excerpt=line.text,
        score=_LAST if only_reports_an_end(groups["message"]) else 0.3,
    )


# Rank 0: a tool's format that reads the same line, or reports the same place, has more details than the annotation.
FORMAT = line_format(
    "annotations",
    ("::error", "::warning", "::notice", "##[error]"),
    (
        re.compile(
            r"\s{0,20}::(?P<level>error|warning|notice)"
            r"(?P<keys> [^:]{0,2000}(?::[^:]{1,2000}){0,8}?)?::(?P<message>.*)$"
        ),
        _command,
    ),
    (re.compile(r"(?P<message>\S.*)$"), _marked),
    rank=0,
)
