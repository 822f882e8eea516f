"""Compilers of the `"file", line 12: …` family: TI, Diab, GHS, ARM, Sun, XL, IAR, Tasking, CodeWarrior, NAG."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_LEVEL = (
    r"(?P<level>(?:(?i:fatal|catastrophic|internal|command[ -]line) )?(?i:error|warning|remark|note|info|information))"
)
_FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s\"():][^\"():]{0,400}\.\w{1,8})"
_ROWS = tuple(
    re.compile(rf"\s{{0,8}}{row}(?P<message>.*)$")
    for row in (
        # "a.c", line 12 (col. 3): error #18-D: …; cc0188: {D} warning: …; warning (dcc:1521): …; Warning:  #550-D: …
        rf'"(?P<file>[^"]{{1,400}})", line (?P<line>\d{{1,9}})(?: \(col\. (?P<column>\d{{1,9}})\))?(?:, col'
        rf"(?:umn)? \d{{1,9}})?\s?[:,]\s{{1,4}}"
        rf"(?:(?P<before>[a-z]{{1,4}}\d{{2,6}}): (?:\{{\w\}} )?)?{_LEVEL}(?:,"
        rf"|\s?[ (#]{{1,2}}(?P<code>[\w:-]{{1,20}})\)?)?\s?:"
        r"\s{0,4}(?:#(?P<number>\d{1,5}(?:-D)?):)?\s{0,4}",
        # "a.c", line 9.17: 1506-098 (E) …
        r'"(?P<file>[^"]{1,400})", line (?P<line>\d{1,9})\.(?P<column>\d{1,9}): (?P<code>\d{4}-\d{3}) \('
        r"(?P<level>[SEWIU])\) ",
        # "foo.asm", ERROR!   at line 5: …
        r'"(?P<file>[^"]{1,400})", (?P<level>ERROR|WARNING|REMARK)!\s{1,8}at line (?P<line>\d{1,9}): (?:\['
        r"(?P<code>\w{1,10})\] )?",
        # "a.c",12  Error[Pe020]: …
        r'"(?P<file>[^"]{1,400})",(?P<line>\d{1,9})(?:,(?P<column>\d{1,9}))?\s{1,4}'
        r"(?P<level>(?:Fatal |Internal )?(?i:error)|Warning|Remark|Severity-\w{3,8})(?:\["
        r"(?P<code>[\w.-]{1,60})\])?:\s{0,4}",
        # a.c(43) : Warning[Pe177]: …; a.c(10): error:  #18: …; a.c(10): (col. 6) remark #8291: …
        rf"{_FILE}\((?P<line>\d{{1,9}})(?:,(?P<column>\d{{1,9}}))?\)\s?:\s{{1,4}}(?:\(col\. \d{{1,9}}\) )?{_LEVEL}"
        r"(?:\[(?P<code>\w{1,12})\]:| #?(?P<before>\d{1,6}(?:-D)?):|:\s{1,4}#(?P<number>\d{1,5}(?:-D)?):)\s{0,4}",
        rf"{_FILE}\((?P<line>\d{{1,9}})\): \(col\. (?P<column>\d{{1,9}})\) {_LEVEL}: ",
        rf"{_FILE}\((?P<line>\d{{1,9}})\): (?P<level>ERROR|WARNING|INFORMATION) (?P<code>C\d{{1,5}}): ",
        # ctc E505: ["a.c" 15/3] …
        r'\w{1,12} (?P<level>[EWFSI])(?P<code>\d{3,5}): \["(?P<file>[^"]{1,400})" (?P<line>\d{1,9})(?:/'
        r"(?P<column>\d{1,9}))?\] ",
        # Warning: a.f90, line 6: …
        r"(?P<level>Warning|(?:Runtime |Fatal |Sequence )?Error|Info|Questionable|Extension|Obsolescent"
        r"|Deleted feature used|Non-standard|Panic)(?:\([\w ]{1,20}\))?: "
        r"(?P<file>[^\s,]{1,300}\.[fF]\w{0,3}), line (?P<line>\d{1,9}): ",
        # a.adb:23:35: binary operator expected; (style) …
        r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{0,400}\.ad[abs]):(?P<line>\d{1,9}):(?P<column>\d{1,9}): "
        r"(?!warning:|error:|info:|note:)(?:\((?P<code>style)\) )?",
    )
)
_LINKER = (
    re.compile(
        r"(?P<level>(?:Fatal )?[Ee]rror|Warning|Remark)\[(?P<code>(?:P[ea]|L[a-z]|T[a-z]|C[a-z]|Og|Ms|As|e"
        r"|w)\d{1,5})\]:"
        r"\s{1,4}(?P<message>\S.*)$"
    ),
    re.compile(r"\s{0,8}(?P<code>\d{4}-\d{3}):? \((?P<level>[SEWIU])\) (?:[A-Z]{4,12}: )?(?P<message>\S.*)$"),
    re.compile(r"(?P<level>ERROR|WARNING|INFORMATION) (?P<code>L\d{1,5}): (?P<message>\S.*)$"),
    re.compile(r"(?:Fatal )?(?P<level>[Ee]rror|[Ww]arning): (?P<code>L\d{4}[EW]): (?P<message>\S.*)$"),
    re.compile(
        r"(?P<level>error|warning)(?: #(?P<code>\d{1,6}(?:-D)?))?: (?P<message>(?:unresolved symbols? "
        r"|errors encountered during link"
        r"|symbol [\"']|program will not fit|placement fails|undefined symbol ).*)$"
    ),
)
_WRAPPED = re.compile(r" {10}(?P<more>\S.*)$")
_NOTES, _WARNINGS = (
    ("remark", "note", "info", "information", "i"),
    ("warning", "w", "questionable", "extension", "obsolescent", "severity-low", "severity-medium"),
)
_MORE = 8


class _Reader:
    """Reads single lines, and the rest of a message that the compiler wrapped."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        error = self._open
        if error and (more := _WRAPPED.match(line.text)) and error.excerpt.count("\n") < _MORE:
            message = f"{error.message} {more['more']}".strip()
            text = f"{error.excerpt}\n{line.text}"
            self._open = replace(error, message=message, excerpt=text, span=(error.log_line, line.number))
            return ()
        done = self.close()
        self._open = _one_line(line)
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done and done.message else ()


def _one_line(line: Line) -> Finding | None:
    for pattern in (*_ROWS, *_LINKER):
        if match := pattern.match(line.text):
            return _finding(match, line)
    return None


def _finding(match: re.Match[str], line: Line) -> Finding:
    groups = match.groupdict()
    level = (groups.get("level") or "error").lower()
    severity = Severity.ERROR
    if level in _NOTES:
        severity = Severity.NOTE
    elif level in _WARNINGS or groups.get("code") == "style":
        severity = Severity.WARNING
    return Finding(
        tool="cc",
        code=groups.get("code") or groups.get("number") or groups.get("before"),
        category=Category.COMPILE if severity is Severity.ERROR else Category.LINT,
        severity=severity,
        message=groups["message"].strip(),
        file=groups.get("file"),
        line=number(groups.get("line")),
        column=number(groups.get("column")),
        log_line=line.number,
        excerpt=line.text,
        score={Severity.ERROR: 1.0, Severity.WARNING: 0.2, Severity.NOTE: 0.1}[severity],
    )


FORMAT = Format(
    "cc",
    (
        '", line ',
        *(f'",{digit}' for digit in range(1, 10)),
        '", ERROR!',
        '", WARNING!',
        '", REMARK!',
        ") : ",
        "): error",
        "): warning",
        "): remark",
        "): ERROR C",
        "): WARNING C",
        "): Error",
        "): Warning",
        "): (col. ",
        *(f'{digit}: ["' for digit in range(10)),
        ", line ",
        ".adb:",
        ".ads:",
        ".ada:",
        "ERROR L",
        "WARNING L",
        "INFORMATION L",
        "rror[",
        " (E) ",
        " (S) ",
        " (W) ",
        " (I) ",
        "arning[",
        "rror: L",
        "arning: L",
        "error: unresolved",
        "error: errors enc",
        "warning: symbol",
        "error: symbol",
        "error: program",
        "error #",
        "warning #",
    ),
    _Reader,
)
