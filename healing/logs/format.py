"""The interface of a tool's format: hints, a reader, and its findings. A new tool is one file in `formats/`."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An error as a format read it: paths as printed, nothing masked yet; fields as in CIError.

    `log_line` is the line that reports it; `span` its first and last line where it has several: findings of more
    general formats inside it are dropped. A finding without a message is not an error, only such a span. `repeats`: the
    span is output that tests printed and compared, so other tools' findings inside it are dropped too. `program` is the
    program whose output it is, where several are interleaved; the scan sets it.
    """

    tool: str
    category: Category
    message: str
    log_line: int
    span: tuple[int, int] | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    code: str | None = None
    severity: Severity = Severity.ERROR
    related: tuple[Related, ...] = ()
    test: str | None = None
    expected: str | None = None
    actual: str | None = None
    suggestion: str | None = None
    excerpt: str = ""
    score: float = 1.0
    repeats: bool = False
    program: str = ""


class Reader(Protocol):
    """Reads one log from its first line to its last. Never raises, whatever the lines contain."""

    @property
    def busy(self) -> bool:
        """Whether the reader is inside a block: it then gets every next line, with or without a hint."""

    def read(self, line: Line) -> Iterable[Finding]:
        """The findings that are complete after this line."""

    def close(self) -> Iterable[Finding]:
        """The findings that were incomplete when the log ended."""


@dataclass(frozen=True, slots=True)
class Format:
    """How one tool prints its errors.

    `hints` are literals: an idle reader gets the lines that contain one of them and the `before` lines in front of
    each; a busy one gets every line. `later` are hints that count once the reader has been given a line: for endings
    that are in every green log too. `runner`: the reader also gets the CI runner's own lines (headings, echoes, exit
    codes).

    `rank` decides which finding is kept: 3 a user's own matcher; 2 a tool; 1 dropped inside a tool's span (tracebacks
    in test output); 0 dropped where a tool reports the same place (generic); below 0 dropped if there is any sure error
    of a higher rank (-1 verdicts that repeat other errors, -2 lines that only sound like errors, -3 the lines before a
    failing end, for logs without anything else).
    """

    name: str
    hints: tuple[str, ...]
    start: Callable[[Paths], Reader]
    rank: int = 2
    before: int = 1
    runner: bool = False
    later: tuple[str, ...] = ()


Build = Callable[[Mapping[str, Any], Line], Finding | None]


class LineReader:
    """A reader for tools that report an error in one line: rows of (anchored pattern, function of its groups)."""

    busy = False

    def __init__(self, rows: tuple[tuple[re.Pattern[str], Build], ...]) -> None:
        self._rows = rows

    def read(self, line: Line) -> Iterable[Finding]:
        """The finding of the first row that matches."""
        for pattern, build in self._rows:
            if (match := pattern.match(line.text)) and (finding := build(match.groupdict(), line)):
                return (finding,)
        return ()

    def close(self) -> Iterable[Finding]:
        """Nothing: every finding is complete after its line."""
        return ()


def line_format(name: str, hints: tuple[str, ...], *rows: tuple[re.Pattern[str], Build], rank: int = 2) -> Format:
    """A format whose errors are one line each."""
    return Format(name, hints, lambda _paths: LineReader(rows), rank)


def at_line(*endings: str) -> tuple[str, ...]:
    """Hints for `path.ending:12`, with the digit, because `path.ending:` alone is in every second line of a test
    run."""
    return tuple(f"{ending}:{digit}" for ending in endings for digit in range(1, 10))


def number(text: str | None) -> int | None:
    """A printed line or column as a number; None if empty, zero or invalid."""
    if not text or len(text) > 9 or not text.isascii() or not text.isdigit():
        return None
    return int(text) or None
