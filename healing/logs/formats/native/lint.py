"""Linters of C and C++ with one-line findings: cpplint, cppcheck, flawfinder, PC-lint."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Build, Finding, line_format, number
from healing.logs.lines import Line
from healing.model import Category, Related, Severity

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:(\[\]][^:(\[\]]{0,400})"
_CPPLINT = re.compile(
    rf"{_FILE}(?::(?P<line>\d{{1,9}}):|\((?P<row>\d{{1,9}})\):)\s{{1,4}}(?:warning: )?(?P<message>\S.*?)"
    r"\s{1,4}"
    r"\[(?P<code>[a-z0-9_]{2,30}/[\w+-]{1,40})\]\s{1,4}\[\d\]$"
)
_CPPLINT_VS = re.compile(
    rf"{_FILE}\((?P<row>\d{{1,9}})\): (?:error|warning) cpplint: \[(?P<code>[\w/+-]{{3,60}})\] (?P<message>\S.*?)"
    rf"(?: \[\d\])?$"
)
_CPPCHECK = re.compile(
    r"(?:\[(?P<first>[^\[\]]{1,400}:\d{1,9})\] -> )?(?:\[[^\[\]]{1,400}:\d{1,9}\] -> ){0,20}"
    r"\[(?P<file>[^\[\]]{1,400}?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?\]:? "
    r"\((?P<level>error|warning|style|performance|portability|information"
    r"|debug)(?:, inconclusive)?\) (?P<message>\S.*)$"
)
_FLAWFINDER = re.compile(
    rf"{_FILE}:(?P<line>\d{{1,9}})(?::(?P<column>\d{{1,9}}))?:\s{{1,4}}\[(?P<level>[0-5])\]\s{{1,4}}\("
    rf"(?P<kind>\w{{1,30}})\) "
    r"(?P<code>[\w!-]{1,60}):\s{0,4}(?P<message>.*)$"
)
_PCLINT = re.compile(
    rf"{_FILE}(?:\((?P<row>\d{{1,9}})(?:,\s?(?P<column>\d{{1,9}}))?\):?|\s{{2,4}}(?P<line>\d{{1,9}}))\s{{1,4}}"
    r"(?P<level>[Ee]rror|[Ww]arning|[Ii]nfo|[Nn]ote) (?P<code>\d{1,4}):\s{1,4}(?P<message>\S.*)$"
)
_CODE = re.compile(r"\s{1,3}\[(?P<code>[A-Za-z]\w{2,60})\]$")


def _build(tool: str) -> Build:
    def build(groups: Mapping[str, Any], line: Line) -> Finding | None:
        message, code = groups["message"], groups.get("code")
        if code is None and (match := _CODE.search(message[-80:])):
            message, code = message[: len(message) - len(match[0])], match["code"]
        level = (groups.get("level") or "").lower()
        first = groups.get("first")
        related = (Related(file=first.rpartition(":")[0], line=number(first.rpartition(":")[2])),) if first else ()
        return Finding(
            tool=tool,
            code=code,
            category=Category.SECURITY if tool == "flawfinder" else Category.LINT,
            severity=_SEVERITIES.get(level, Severity.ERROR if tool != "flawfinder" else Severity.WARNING),
            message=f"{groups['kind']}: {code}" if groups.get("kind") else message,
            file=groups["file"],
            line=number(groups.get("line") or groups.get("row")),
            column=number(groups.get("column")),
            related=related,
            log_line=line.number,
            excerpt=line.text,
        )

    return build


_SEVERITIES = {
    "warning": Severity.WARNING,
    "style": Severity.WARNING,
    "performance": Severity.WARNING,
    "portability": Severity.WARNING,
    "information": Severity.NOTE,
    "debug": Severity.NOTE,
    "info": Severity.NOTE,
    "note": Severity.NOTE,
}

FORMAT = line_format(
    "c-lint",
    (
        "[build/",
        "[legal/",
        "[readability/",
        "[runtime/",
        "[whitespace/",
        "] [1]",
        "] [2]",
        "] [3]",
        "] [4]",
        "] [5]",
        "cpplint: [",
        "]: (",
        "] (error)",
        "] (warning)",
        "] (style",
        "  [0] (",
        "  [1] (",
        "  [2] (",
        "  [3] (",
        "  [4] (",
        "  [5] (",
        " Error ",
        " Warning ",
        " Info ",
        " Note ",
        " error ",
        " warning ",
        " info ",
        " note ",
    ),
    (_CPPLINT, _build("cpplint")),
    (_CPPLINT_VS, _build("cpplint")),
    (_CPPCHECK, _build("cppcheck")),
    (_FLAWFINDER, _build("flawfinder")),
    (_PCLINT, _build("pc-lint")),
)
