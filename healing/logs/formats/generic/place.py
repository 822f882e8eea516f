"""A place and a message on one line, for tools without a format of their own. Any tool's finding takes precedence."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, Format, LineReader, at_line, number
from healing.logs.lines import Line
from healing.logs.wording import BARE, FILE, NO_ERROR, SOUNDS_WRONG, SOURCES, category, default_score, read_words
from healing.model import Severity

_SIGN = r"(?:(?:[├└]─{0,3}|[-*>•●✖✗✘×❌⛔🚨⚠‼]️?)\s{1,4})"
_MESSAGE = (
    r"(?P<said>(?i:error|warning|warn|fatal|failure|failed)\b(?: (?:in|at|on|to)\b)?(?: (?:parsing|parse|processing"
    r"|compiling|compile|reading|loading|load|linting|checking|validating|formatting|file)\b)?:?|[EWF]:"
    r"|\[(?i:error|warning|warn)\])"
)
_BEFORE = (
    r"\s{0,12}(?:(?:\[?\d{4}-\d\d-\d\d[T ])?\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?\]?\s{1,4})?"
    r"(?:\[(?!(?i:error|warn|warning|info|debug|note)\])[\w .:/-]{1,30}\]\s{1,8}){0,3}"
    rf"{_SIGN}?(?:[a-z][\w-]{{1,30}}: )?(?:{_MESSAGE}\s{{1,4}})?"
)
_N = r"(?P<line>\d{1,7})"
_C = r"(?P<column>\d{1,6})"
_TO = r"(?:-(?P<to>\d{1,7})(?:[:.](?P<to_column>\d{1,6}))?)?"
_SAYS = r"(?P<message>\S.*)$"
_Q = r"[\"'`]?"
_LINE_WORD = rf"line:? {_N}(?:(?:,? ?(?:col(?:umn)?|char(?:acter)?|pos(?:ition)?):? |[.:]){_C})?"
_ROWS = (
    # path:12:3:12:9: message
    rf"{_BEFORE}{FILE}:{_N}:{_C}:(?P<to>\d{{1,7}}):(?P<to_column>\d{{1,6}}):\s?{_SAYS}",
    # program: error: program: path:12:3: message
    rf"(?:[\w.+-]{{1,30}}: (?:fatal )?error: (?:[\w.+-]{{1,30}}: )?|\d{{1,4}} errors? occurred: )"
    rf"{FILE}:{_N}(?::{_C})?: {_SAYS}",
    # Syntax error: (path:12) message
    rf"[\w ]{{0,30}}[Ee]rror: \({FILE}:{_N}(?::{_C})?\):? {_SAYS}",
    # Parse error in "path" (12:3): message
    rf"[\w ]{{0,30}}[Ee]rror in {_Q}{FILE}{_Q} \({_N}:{_C}\):? {_SAYS}",
    # path,12,3,error,message
    rf"{_Q}{FILE}{_Q},{_N},(?:{_C})?,{_Q}(?P<cell>(?i:error|warning|warn|info))\w{{0,10}}{_Q},{_SAYS}",
    # path: 12: message, path: 12:3: message
    rf"{FILE}: {_N}(?::{_C})?: (?!\d|.{{0,600}} @ line){_SAYS}",
    # path:12:3: message, and with dashes, bars or blanks for the last colon
    rf"{_BEFORE}{_Q}{FILE}{_Q}:{_N}(?:[:.,]{_C})?{_TO}(?:: ?|\s{{1,4}}[-–—|]\s{{1,4}}|\s{{1,20}}|[|\t]|:?(?=\())"
    rf"(?:col(?:umn)? \d{{1,6}}:?\s+)?{_SAYS}",
    # [path:12:3] message
    rf"\s{{0,8}}\[(?P<file>[^\s\[\]:]{{1,300}}\.\w{{1,12}}):{_N}(?::{_C})?\] {_SAYS}",
    # path: message at line 12, column 3. More
    rf"{_BEFORE}{FILE}: (?P<message>\S.{{2,300}}?)(?: at| on| in|:|,)? \(?line:? {_N},? col(?:umn)?:?"
    rf" {_C}\b.{{0,300}}$",
    # path(12,3): message, path[12, 3]: message
    rf"{_BEFORE}{FILE}[(\[]{_N}(?:[,:]\s{{0,2}}{_C})?(?:[,-]\d{{1,7}}(?:,\d{{1,7}})?)?[)\]]"
    rf"\s{{0,3}}[:,-]?\s{{0,8}}(?:col: (?P<col>\d{{1,6}})\s+)?{_SAYS}",
    # "path", line 12, column 3: message
    rf"{_BEFORE}{_Q}{FILE}{_Q}(?:, ?|: ?|\s{{1,4}}\(?)(?:on |at )?{_LINE_WORD}\)?\s{{0,3}}[:,-]?\s{{0,8}}{_SAYS}",
    # path|12|error|message, with tabs too
    rf"\s{{0,8}}{FILE}\s?[|\t]\s?{_N}\s?[|\t]\s?(?:{_C}\s?[|\t]\s?)?(?:"
    rf"(?P<cell>(?i:error|warning|info|note))\s?[|\t]\s?)?{_SAYS}",
    # path: message (12:3)
    rf"{_BEFORE}{FILE}: (?P<message>\S.{{2,300}}?) \({_N}:{_C}\)$",
)
# Sentences that end with a place are read only if they are marked as errors.
_AT_THE_END = (
    r"(?=\s{0,8}(?:\[?(?i:(?:\w{1,40} )?(?:fatal )?error|warning|fatal)\]?\b|\[?[A-Z]{1,4}\d{2,5}(?:: |\] )|PHP"
    r" |Assertion|(?i:unused|unknown|undefined|undeclared|invalid|duplicate) \S"
    r"|.{0,120}\b(?:Error|Exception|error): ))"
    rf"(?P<message>\S.{{3,600}}?)(?:,? (?:in|at|on)|:|, file| [(\[](?:at |in )?) ?(?:file )?{_Q}{FILE}{_Q}"
    rf"(?::{_N}(?::{_C})?|(?: on|,)? line:? (?P<on>\d{{1,7}})(?:,? col(?:umn)?:? \d{{1,6}})?)[)\]]?\.?\s{{0,8}}$"
)
_LINE_FIRST = (
    rf"\s{{0,8}}(?P<message>\S.{{3,300}}?)(?: at| on|,| in)? line {_N}(?:,? col(?:umn)?:? {_C})? (?:of|in)(?: file)? "
    rf"{_Q}{FILE}{_Q}(?:: (?P<more>\S.{{0,300}})|\.?)$"
)


def _build(groups: Mapping[str, Any], line: Line) -> Finding | None:
    row = number(groups["line"] or groups.get("on"))
    message = groups.get("more") or groups["message"]
    if (
        row is None
        or message.isdigit()
        or message.endswith("(ignored)")
        or NO_ERROR.match(message)
        or "://" in groups["file"]
        or _HOST.match(groups["file"])
        or _is_test_log(groups["file"], line.text)
    ):
        return None
    label = next((groups[name].strip("[]").split()[0].rstrip(":") for name in ("said", "cell") if groups.get(name)), "")
    words = read_words(f"{label}: {message}" if label else message)
    severity = words.severity or _by_mark(line)
    if severity is None:
        placed = groups.get("column") or groups.get("col") or _RULE.search(message)
        if not placed and not SOUNDS_WRONG.search(message):
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
        score=default_score(severity),
    )


def _is_test_log(file: str, text: str) -> bool:
    """Whether it is a log line of a Go test, which is printed indented whether or not the test failed."""
    return file.endswith("_test.go") and text.startswith("    ")


def _by_mark(line: Line) -> Severity | None:
    return {"error": Severity.ERROR, "warning": Severity.WARNING, "notice": Severity.NOTE}.get(line.mark)


_RULE = re.compile(r" \[[a-z][a-z-]{1,30}/[a-z_-]{1,40}\]$")
_HOST = re.compile(
    r"[\w-]{1,60}(?:\.[\w-]{1,60}){0,5}\.(?:com|org|net|io|dev|example|local|internal|cloud|ai|co|edu|gov)$"
)
_PATTERNS = tuple((re.compile(row), _build) for row in (*_ROWS, _AT_THE_END, _LINE_FIRST))
_AFTER_NAME = ("(", "[", '"', "'", ": line", "|", "\t", ",")
FORMAT = Format(
    "generic",
    (
        *at_line(*(f".{ending}" for ending in SOURCES), "file"),
        *(f".{ending}{after}" for ending in SOURCES for after in _AFTER_NAME),
        *(f"{name}:" for name in BARE if name.isalpha()),
        *(f" line {digit}" for digit in range(1, 10)),
        ": error",
        "error: ",
        "Error: ",
        "ERROR: ",
        "[error]",
        "[ERROR]",
        "rror in ",
        "ERROR ",
    ),
    lambda _paths: LineReader(_PATTERNS),
    rank=0,
)
