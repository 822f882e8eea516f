"""bandit: issues of several lines, with the place below."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_HEAD = re.compile(r">> Issue: \[(?P<code>[A-Z]\d{3})(?::(?P<rule>\w{1,80}))?\] ?(?P<message>\S.*)$")
_SEVERITY = re.compile(r"\s{1,6}Severity: (?P<level>\w{1,12})\b")
_PLACE = re.compile(r"\s{1,6}Location: (?P<file>.{1,500}?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?\s{0,4}$")
_CUSTOM = re.compile(
    r"(?P<file>\S.{0,400}\.py):(?P<line>\d{1,9}): (?P<code>B\d{3})\[bandit\]: (?P<level>\w+): (?P<message>.*)$"
)
_LINES = 12


class _Reader:
    """Reads issues; busy from an issue to its place."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        head = self._open
        if match := _HEAD.match(line.text):
            self._open = _issue(match, line)
            return ()
        if match := _CUSTOM.match(line.text):
            place = (number(match["line"]), None)
            return (replace(_issue(match, line), file=match["file"], line=place[0], severity=_level(match["level"])),)
        if head is None:
            return ()
        if line.number - head.log_line > _LINES:
            self._open = None
        elif match := _SEVERITY.match(line.text):
            self._open = replace(head, severity=_level(match["level"]))
        elif match := _PLACE.match(line.text):
            self._open = None
            spot = (number(match["line"]), int(match["column"]) + 1 if match["column"] else None)
            span = (head.log_line, line.number)
            return (replace(head, file=match["file"], line=spot[0], column=spot[1], span=span),)
        return ()

    def close(self) -> Iterable[Finding]:
        return ()


def _issue(match: re.Match[str], line: Line) -> Finding:
    return Finding(
        tool="bandit",
        code=match["code"],
        category=Category.SECURITY,
        severity=Severity.WARNING,
        message=match["message"],
        log_line=line.number,
        excerpt=line.text,
    )


def _level(word: str) -> Severity:
    return Severity.ERROR if word.lower() in ("high", "error") else Severity.WARNING


FORMAT = Format("bandit", (">> Issue: [", "[bandit]: "), _Reader)
