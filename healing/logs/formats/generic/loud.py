"""The last resort: lines that sound like the reason, told only where nothing else told an error (rank -2).

And the few sentences that end a job whatever else it says: killed, timed out, no space, no such command (rank 0).

A line's loudness is a small sum: what it starts with, which words it has, what speaks against it, and whether the job
ended right after it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from healing.logs.format import Finding, Format, line_format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

MOST = 10  # findings of one log
_KEPT = 400
_ENOUGH = 2
_NEAR_LINES = 8  # this close before the end of a command
_NEAR = 2

_STARTS = re.compile(
    r"\W{0,4}(?:fatal|error|failed|failure|panic|abort(?:ed)?|critical|[A-Z ]{3,40}(?=:))\b\W", re.IGNORECASE
)
_STRONG = re.compile(
    r"segmentation fault|core dumped|out of memory|oom-?kill|no space left|\bkilled\b|\bSIG(?:KILL|SEGV|BUS|ABRT|ILL)\b"
    r"|(?:timed|time|timing) ?out\b|took >|returning [1-9]"
    r"|exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]|permission denied|not authorized|access denied"
    r"|connection (?:refused|reset)|could not resolve|[^\W\d]\w{0,60}(?:Error|Exception): ",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"\b(?:errors?|fatal|failed|failures?|fails|cannot|can't|could ?n[o']t|unable|not found|missing|invalid"
    r"|refused|denied|exceed(?:s|ed)?|unexpected|abort(?:ed|ing)?|dirty|mismatch|regression|broken|conflicts?|undefined"
    r"|unsupported|received)\b",
    re.IGNORECASE,
)
_QUIET = re.compile(
    r"\b(?:0|no) (?:errors?|fail(?:ed|ures?))|(?:errors?|failed|failures?)\W{1,3}0\b|\bpass(?:ed)?\b|\bok\b"
    r"|\bsuccess|\bwarn|deprecat|--?[\w-]{0,30}error|error[\w-]{0,30}\.\w|\w[-_]errors?\b|errors?[-_]\w|\b(?:re)?try(?:ing)?\b"
    r"|\bignor|/error|\bwith error\b|\d%",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"(?:.{0,160}[:\s(])?(?:command took >.{1,40}|timed out after \d.{0,80}|exceeded the maximum execution time.{0,80}"
    r"|received signal:? .{1,40}|no space left on device.{0,80}|out of memory(?:: kill.{0,80})?|cannot allocate memory"
    r"|segmentation fault(?: \(core dumped\))?|bus error(?: \(core dumped\))?|aborted \(core dumped\)"
    r"|[\w./-]{1,60}: command not found|the operation was cancell?ed\.?|couldn't find remote ref .{1,120}"
    r"|lost communication with the server.{0,80})\W{0,3}$"
    r"|(?:.{0,80} )?Killed(?: .{0,80})?$",
    re.IGNORECASE,
)
_NOT_TOLD = re.compile(r"\s{0,20}(?:\++ |\$ |> |#|//|echo |if |[A-Z_]{2,40}[:=])")
_END = re.compile(r"\++ exit [1-9]|.{0,80}exit(?:ed)?(?: with)?(?: code| status)? [1-9]\d{0,2}\W{0,3}$")


def loudness(text: str) -> int:
    """How much `text` sounds like the reason of a failure; 2 and more may be worth telling."""
    if _NOT_TOLD.match(text):
        return 0
    words = len({match[0].lower() for match in _WORDS.finditer(text[:400])})
    loud = 2 * bool(_STARTS.match(text)) + 2 * bool(_STRONG.search(text[:400])) + min(words, 3)
    return loud - 3 * bool(_QUIET.search(text[:400]))


class _Reader:
    """Keeps the loudest lines, in bounded memory."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        self._kept: list[tuple[int, Line]] = []
        self._ends: list[int] = []

    def read(self, line: Line) -> Iterable[Finding]:
        if line.mark in ("error", "warning", "notice", "debug"):  # annotations are read as such
            return ()
        if _END.match(line.text):
            self._ends = [*self._ends[-_KEPT:], line.number]
        loud = loudness(line.text)
        if loud >= 1:
            self._kept.append((loud, line))
        if len(self._kept) > 2 * _KEPT:
            louder = sorted(self._kept, key=lambda kept: (kept[0], kept[1].number))[-_KEPT:]
            self._kept = sorted(louder, key=lambda kept: kept[1].number)
        return ()

    def close(self) -> Iterable[Finding]:
        """The loudest, later ones first among equals, in the order of the log; the same words only once."""
        told: dict[str, tuple[int, Line]] = {}
        for loud, line in self._kept:
            near = any(0 < end - line.number <= _NEAR_LINES for end in self._ends)
            told[line.text.strip()] = (loud + _NEAR * near, line)
        best = sorted(told.values(), key=lambda kept: (-kept[0], -kept[1].number))[:MOST]
        return [_finding(loud, line) for loud, line in sorted(best, key=lambda kept: kept[1].number) if loud >= _ENOUGH]


def _finding(loud: int, line: Line) -> Finding:
    return Finding(
        tool="log",
        category=Category.RUNTIME,
        message=line.text.strip(),
        log_line=line.number,
        excerpt=line.text,
        score=min(0.3, 0.03 * loud),
    )


def _decisive(_groups: Mapping[str, Any], line: Line) -> Finding | None:
    if line.mark or _NOT_TOLD.match(line.text) or _QUIET.search(line.text[:400]):
        return None
    return replace(_finding(10, line), category=Category.INFRASTRUCTURE, score=0.35)


_HINTS = (
    "rror", "ERROR", "atal", "FATAL", "ailed", "FAIL", "ailure", "annot ", "an't ", "ould not", "ouldn't",
    "nable to", "ot found", "NOT FOUND", "issing", "MISSING", "nvalid", "efused", "enied", "imed out", "imeout",
    "TIMEOUT", "took >", "illed", "SIG", "ignal", "egmentation", "dumped", "panic", "xception", "o such",
    "o space", "ut of memory", "OOM", "exit", "returning", "dirty", "ismatch", "uthorized", "xceed", "bort",
    "nexpected", "onflict", "roken", "egression", "REGRESSION", "ndefined", "nsupported", "esolve",
)  # fmt: skip
FORMATS = (
    Format("loud", _HINTS, _Reader, rank=-2, before=0),
    line_format(
        "decisive",
        (
            "ook >", "imed out after", "maximum execution", "ignal", "o space left", "ut of memory", "allocate memory",
            "dumped", "egmentation", "us error", "command not found", "cancel", "remote ref", "illed",
            "lost communication",
        ),
        (_DECIDES, _decisive),
        rank=0,
    ),
)  # fmt: skip
