"""Doxygen's warnings without a place, or with one after other text; those at the start of a line look like gcc's."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_PLACELESS = re.compile(
    r"(?P<level>[Ww]arning|[Ee]rror): (?P<message>(?:doxygen |source .{1,300} is not a readable|tag [A-Z_]{2,40}[ :]"
    r"|[Tt]ag '?[A-Z_]{2,40}|ignoring unsupported tag|the (?:name `|dot tool|selected output|image file)"
    r"|Could not read image|Problems running (?:dot|epstopdf|latex)|unable to resolve reference|include graph"
    r"|include file .{1,200} not found, perhaps).*)$"
)
_GLUED = re.compile(
    r"(?:Generating|Parsing|Preprocessing|Reading|Building|Searching"
    r"|Combining)\b.{3,200}?(?P<file>(?:[A-Za-z]:)?/[^:]{1,400}\.\w{1,6}):"
    r"(?P<line>\d{1,9}): (?P<level>warning|error): (?P<message>\S.*)$"
)
_OTHER_FILES = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s()\[\]:][^()\[\]:]{0,400}\.(?:dox|md|doxy|dot|txt|idl|vhd|html)):(?P<line>\d{1,9}): "
    r"(?P<level>warning|error): (?P<message>\S.*(?:@|\\\\|documented|doxygen|\\ref|link request|unresolved|section"
    r"|unknown command|tag).*)$"
)
_MORE = re.compile(r"\s{5,12}(?P<more>\S.*)$")


class _Reader:
    """Reads single lines, and the indented lines under a warning without a place."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        error = self._open
        if error and (more := _MORE.match(line.text)) and error.message.count("\n") < 6:
            self._open = replace(error, message=f"{error.message}\n{more['more']}", span=(error.log_line, line.number))
            return ()
        done = self.close()
        if match := _PLACELESS.match(line.text) or _GLUED.match(line.text) or _OTHER_FILES.match(line.text):
            self._open = _finding(match, line)
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done else ()


def _finding(match: re.Match[str], line: Line) -> Finding:
    groups = match.groupdict()
    warning = groups["level"].lower() == "warning"
    return Finding(
        tool="doxygen",
        category=Category.LINT,
        severity=Severity.WARNING if warning else Severity.ERROR,
        message=groups["message"],
        file=groups.get("file"),
        line=number(groups.get("line")),
        log_line=line.number,
        excerpt=line.text,
        score=0.2 if warning else 0.5,
    )


FORMAT = Format("doxygen", ("arning: ", "rror: "), _Reader, before=0)
