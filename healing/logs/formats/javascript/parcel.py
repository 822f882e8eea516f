"""Parcel: `@parcel/plugin: message`, wrapped, and the place below."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_HEAD = re.compile(r"(?:🚨 )?(?P<plugin>@parcel/[\w-]{1,60}): (?P<message>\S.*)$")
_PLACE = re.compile(r"\s{2}(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")
_FAR = 8


class _Reader:
    """Reads errors; a message without a place is added to the previous one."""

    def __init__(self, _paths: Paths) -> None:
        self._words: list[str] = []
        self._plugin = ""
        self._first = 0
        self._wrapping = False

    @property
    def busy(self) -> bool:
        return bool(self._words)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if head := _HEAD.match(text):
            self._words, self._plugin, self._first, self._wrapping = (
                [head["message"]],
                head["plugin"],
                line.number,
                True,
            )
            return ()
        if self._words and (place := _PLACE.match(text)):
            return (self._finding(place, line),)
        self._wrapping = self._wrapping and bool(text.strip())
        if self._wrapping:
            self._words.append(text.strip())
        if line.number - self._first > _FAR:
            self._words = []
        return ()

    def close(self) -> Iterable[Finding]:
        return ()

    def _finding(self, place: re.Match[str], line: Line) -> Finding:
        message, self._words = " ".join(self._words), []
        syntax = message.startswith(("Unexpected", "Expected"))
        missing = message.startswith(("Failed to resolve", "Cannot find"))
        return Finding(
            tool="parcel",
            code=self._plugin,
            category=Category.SYNTAX if syntax else Category.IMPORT if missing else Category.COMPILE,
            message=message,
            file=place["file"],
            line=number(place["line"]),
            column=number(place["column"]),
            log_line=self._first,
            span=(self._first, line.number),
            excerpt=f"{message}\n{place.string}",
        )


FORMAT = Format("parcel", ("@parcel/",), _Reader, before=0)
