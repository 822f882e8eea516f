"""A place and a message on one line, of tools that have no file of their own: least sure, yields to every tool."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, at_line, line_format, number
from healing.logs.lines import Line
from healing.logs.wording import BARE, FILE, NO_ERROR, SOUNDS_WRONG, SOURCES, category, read_words
from healing.model import Severity

_BEFORE = (
    r"\s{0,12}(?:\[[\w .:/-]{1,30}\]\s{1,8}){0,3}"
    r"(?:(?P<said>(?i:error|warning|warn|fatal|failure)\b(?: in| at)?:?)\s{1,4}|[-*>•●✖✗×]\s{1,4})?"
)
_N = r"(?P<line>\d{1,7})"
_C = r"(?P<column>\d{1,6})"
_TO = r"(?:-(?P<to>\d{1,7})(?::(?P<to_column>\d{1,6}))?)?"
_SAYS = r"(?P<message>\S.*)$"
_Q = r"[\"'`]?"
_ROWS = (
    # path:12:3: message, and with dashes or blanks for the last colon
    rf"{_BEFORE}{_Q}{FILE}{_Q}:{_N}(?:[:.,]{_C})?{_TO}(?:: ?|\s{{1,4}}-\s{{1,4}}|\s{{1,20}}|:?(?=\())"
    rf"(?:col(?:umn)? \d{{1,6}}:?\s+)?{_SAYS}",
    # [path:12:3] message
    rf"\s{{0,8}}\[(?P<file>[^\s\[\]:]{{1,300}}\.\w{{1,12}}):{_N}(?::{_C})?\] {_SAYS}",
    # path: message at line 12, column 3. More
    rf"{_BEFORE}{FILE}: (?P<message>\S.{{2,300}}?) at line {_N}, column {_C}\..{{0,300}}$",
    # path(12,3): message, path[12, 3]: message
    rf"{_BEFORE}{FILE}[(\[]{_N}(?:[,:]\s{{0,2}}{_C})?(?:[,-]\d{{1,7}}(?:,\d{{1,7}})?)?[)\]]"
    rf"\s{{0,3}}[:,-]?\s{{0,8}}(?:col: (?P<col>\d{{1,6}})\s+)?{_SAYS}",
    # "path", line 12, column 3: message
    rf"{_BEFORE}{_Q}{FILE}{_Q}(?:, ?|: ?|\s{{1,4}}\(?)(?:on |at )?line:? {_N}"
    rf"(?:,? ?(?:col(?:umn)?|char(?:acter)?|pos(?:ition)?):? {_C})?\)?\s{{0,3}}[:,-]?\s{{0,8}}{_SAYS}",
)
# Sentences that end in a place are read only where they are told as errors.
_AT_THE_END = (
    r"(?=\s{0,8}(?:\[?(?i:(?:\w{1,40} )?(?:fatal )?error|warning|fatal)\]?\b|[A-Z]{1,4}\d{2,5}: |PHP ))"
    rf"(?P<message>\S.{{3,600}}?)(?:,? (?:in|at|on)|:) (?:file )?{_Q}{FILE}{_Q}"
    rf"(?::{_N}(?::{_C})?|(?: on|,)? line:? (?P<on>\d{{1,7}})(?:,? col(?:umn)?:? \d{{1,6}})?)\.?\s{{0,8}}$"
)


def _build(groups: Mapping[str, Any], line: Line) -> Finding | None:
    row = number(groups["line"] or groups.get("on"))
    message = groups["message"]
    if row is None or NO_ERROR.match(message) or "://" in groups["file"]:
        return None
    said = f"{groups['said'].split()[0].rstrip(':')}: {message}" if groups.get("said") else message
    words = read_words(said)
    severity = words.severity or _by_mark(line)
    if severity is None:
        if not groups.get("column") and not groups.get("col") and not SOUNDS_WRONG.search(message):
            return None
        severity = Severity.ERROR if SOUNDS_WRONG.search(message) else Severity.WARNING
    return Finding(
        tool="generic",
        category=category(words._replace(severity=severity)),
        code=words.code,
        severity=severity,
        message=words.message,
        file=groups["file"],
        line=row,
        column=number(groups.get("column") or groups.get("col")),
        end_line=number(groups.get("to")),
        end_column=number(groups.get("to_column")),
        log_line=line.number,
        excerpt=line.text,
        score={Severity.ERROR: 0.4, Severity.WARNING: 0.2, Severity.NOTE: 0.1}[severity],
    )


def _by_mark(line: Line) -> Severity | None:
    return {"error": Severity.ERROR, "warning": Severity.WARNING, "notice": Severity.NOTE}.get(line.mark)


_AFTER_NAME = ("(", "[", '"', "'", ": line")
FORMAT = line_format(
    "generic",
    (
        *at_line(*(f".{ending}" for ending in SOURCES)),
        *(f".{ending}{after}" for ending in SOURCES for after in _AFTER_NAME),
        *(f"{name}:" for name in BARE),
        ", line ",
        " on line ",
        ": line ",
    ),
    *((re.compile(row), _build) for row in _ROWS),
    (re.compile(_AT_THE_END), _build),
    rank=0,
)
