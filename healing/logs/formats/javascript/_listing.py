"""Listings of linters: a file's name on a line of its own, then indented rows. Formats define the pattern of a row."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from healing.logs.format import Finding
from healing.logs.lines import Line

Row = Callable[[str, re.Match[str], Line], Finding | None]

_FILE = re.compile(
    r"\s{0,4}(?P<file>(?:(?:[A-Za-z]:[\\/])?[^\s:*|<>\"'`][^:*|<>\"`]{0,400}|<\w{1,10}>))(?::\d{1,9}:\d{1,9})?:?\s{0,9}$"
)
_PATH = re.compile(r".*(?:[\\/]|\.\w{1,12}$|>$)")
_WRAPPED = 12  # further lines of a message with several


class ListingReader:
    """Reads files and their rows; `build` returns a finding for (file, row, line), or None if the row isn't an
    error."""

    def __init__(self, row: re.Pattern[str], build: Row, *, wrapped: bool = False) -> None:
        self._row, self._build, self._wrapped = row, build, wrapped
        self._before = ""
        self._file: str | None = None
        self._last: Finding | None = None
        self._more = 0

    @property
    def busy(self) -> bool:
        """Whether the reader is between a file's first row and the end of its rows."""
        return self._file is not None

    def read(self, line: Line) -> Iterable[Finding]:
        """The finding of the previous row, once it is complete."""
        text = line.text
        if match := self._row.match(text):
            return self._findings(match, line)
        if self._file is not None and self._last and self._joins(text):
            return ()
        done = self.close()
        self._before = text
        return done

    def close(self) -> Iterable[Finding]:
        """The finding of the last row."""
        done, self._last, self._file = self._last, None, None
        return (done,) if done else ()

    def _findings(self, match: re.Match[str], line: Line) -> Iterable[Finding]:
        file = self._file
        if file is None:
            file = heading(self._before)
        done = self.close()
        if file is None:
            return done
        self._last, self._file, self._more = self._build(file, match, line), file, 0
        return done

    def _joins(self, text: str) -> bool:
        """Whether the text continues the last message, which may have several lines; then adds it."""
        if not self._wrapped or self._last is None or not text.strip() or heading(text) or self._more >= _WRAPPED:
            return False
        self._more += 1
        last = self._last
        message, rule = split_rule(text.strip()) if last.code is None else (text.strip(), None)
        self._last = replace(
            last,
            message=f"{last.message} {message}",
            code=last.code or rule,
            span=(last.log_line, last.log_line + self._more),
            excerpt=f"{last.excerpt}\n{text}",
        )
        return True


def heading(text: str) -> str | None:
    """The file in a line that has nothing else; None for any other line."""
    match = _FILE.match(text)
    return match["file"].strip() if match and _PATH.match(match["file"].strip()) else None


_RULE = re.compile(r"(?:@?[A-Za-z][\w@/.:+-]{1,100}(?:\([\w@/.-]{1,80}\))?)$")


def split_rule(text: str) -> tuple[str, str | None]:
    """(message, rule) of a row whose last column, two spaces apart, is the rule."""
    head, gap, tail = text.rstrip().rpartition("  ")
    return (head.rstrip(), tail) if gap and _RULE.match(tail) else (text.rstrip(), None)
