"""CTest: the failed tests; if a test library inside has reported the reason, CTest's own line is only a note."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_LISTED = re.compile(
    r"\s{1,8}\d{1,6} - (?P<name>\S.{0,300}?) \((?P<how>Failed|Timeout|SEGFAULT|Not Run"
    r"|[A-Za-z][\w :'-]{2,60})\)\s{0,40}\S{0,80}$"
)
_RESULT = re.compile(
    r"\s{0,8}\d{1,6}/\d{1,6} Test\s{1,4}#\d{1,6}: (?P<name>\S.{0,300}?) \.{0,80}\s{0,8}"
    r"(?P<how>\*\*\*\S.{0,60}?)\s{1,20}[\d.]{1,12} sec"
)
_INSIDE = re.compile(
    r".{0,400}(?:\[ {2}FAILED {2}\]|: FAILED:|is NOT correct!|error: in \"|: Failure$|:FAIL:|AddressSanitizer)"
)
_LIST = "The following tests FAILED:"


class _Reader:
    """Reads the results, and the list at the end for tests without a result line."""

    def __init__(self, _paths: Paths) -> None:
        self._explained = False
        self._listing = False
        self._reported: set[str] = set()

    @property
    def busy(self) -> bool:
        return self._listing

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if text.startswith(_LIST):
            self._listing = True
            return ()
        match = _LISTED.match(text) if self._listing else _RESULT.match(text)
        if match is None:
            self._listing = False
            self._explained = self._explained or bool(_INSIDE.match(text))
            return ()
        name, status = match["name"].strip(), match["how"].strip("* ")
        if name in self._reported or status in ("Disabled", "Skipped"):
            return ()
        self._reported.add(name)
        return (self._finding(name, status, line),)

    def close(self) -> Iterable[Finding]:
        return ()

    def _finding(self, name: str, how: str, line: Line) -> Finding:
        return Finding(
            tool="ctest",
            category=Category.TEST,
            severity=Severity.NOTE if self._explained and how == "Failed" else Severity.ERROR,
            message=f"{name}: {how}",
            test=name,
            log_line=line.number,
            excerpt=line.text,
            score=0.3 if self._explained else 0.7,
        )


FORMAT = Format(
    "ctest",
    (
        _LIST,
        "***Failed",
        "***Timeout",
        "***Exception",
        "***Not Run",
        "[  FAILED  ]",
        ": FAILED:",
        "is NOT correct!",
        'error: in "',
        ":FAIL:",
    ),
    _Reader,
    before=0,
)
