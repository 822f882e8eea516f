"""TSTyche: `Error: message ts(2304)`, a code frame, and `at ./file:line:column` below it."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_HEAD = re.compile(r"Error: (?P<message>\S.{0,1000}?)(?: ts\((?P<code>\d{1,6})\))?$")
_PLACE = re.compile(
    r"\s{5,14}at \./(?P<file>[^\s:][^:]{0,400}\.(?:[cm]?[jt]sx?|json)):(?P<line>\d{1,9}):(?P<column>\d{1,9})$"
)
_FAR = 20  # lines from an error to its place


class _Reader:
    """Holds an error until its place below the code frame."""

    def __init__(self, _paths: Paths) -> None:
        self._head: re.Match[str] | None = None
        self._lines: list[str] = []
        self._first = 0

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if head := _HEAD.match(line.text):
            self._head, self._lines, self._first = head, [], line.number
        if self._head is None:
            return ()
        self._lines.append(line.text)
        if place := _PLACE.match(line.text):
            return (self._finding(self._head, place, line),)
        if line.number - self._first > _FAR:
            self._head = None
        return ()

    def close(self) -> Iterable[Finding]:
        return ()

    def _finding(self, head: re.Match[str], place: re.Match[str], line: Line) -> Finding:
        self._head = None
        return Finding(
            tool="tstyche",
            code=f"TS{head['code']}" if head["code"] else None,
            category=Category.TYPE,
            message=head["message"],
            file=place["file"],
            line=number(place["line"]),
            column=number(place["column"]),
            log_line=self._first,
            span=(self._first, line.number),
            excerpt="\n".join(self._lines),
        )


FORMAT = Format("tstyche", ("     at ./",), _Reader, before=_FAR)
