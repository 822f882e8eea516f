"""What a tool's format is: hints, a reader, and the findings that it gives. A new tool is one file in `formats/`."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An error as a format saw it: paths still as printed, nothing masked yet; fields as in CIError.

    `log_line` is the line that tells it; `span` the first and last line that belong to it, where it has several:
    more general formats keep quiet inside. Without a message it is no error, only such a span. `repeats`: what stands
    in the span is what tests printed and compared, so other tools' formats keep quiet there too. `program`: whose
    output that was, where several wrote between each other; set by who shows the lines.
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
    """Reads one log from its first line to its last. Never raises, whatever the lines hold."""

    @property
    def busy(self) -> bool:
        """In the middle of something: every next line is wanted, hint or not."""

    def read(self, line: Line) -> Iterable[Finding]:
        """What is certain after this line."""

    def close(self) -> Iterable[Finding]:
        """What was still open when the log ended."""


@dataclass(frozen=True, slots=True)
class Format:
    """One tool's way of telling errors.

    `hints` are literals: an idle reader is shown the lines that hold one of them and the `before` lines in front of
    each; a busy one is shown every line. `later` are hints too, once the reader was shown a line: what ends something
    and stands in every green log. `runner`: the runner's own lines too (headings, echoes, exit codes).
    `rank`: 3 a person's own matcher, 2 a tool, 1 what yields to the test runner around it (tracebacks), 0 what yields
    to any tool at the same place (generic), below 0 what yields to any sure error of a higher rank (-1 verdicts that
    repeat what others tell, -2 loud lines, -3 the lines before a bad end, for logs that tell nothing else).
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
    """A reader for tools that say all in one line: rows of (anchored pattern, what to make of its groups)."""

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
        """Nothing is ever open."""
        return ()


def line_format(name: str, hints: tuple[str, ...], *rows: tuple[re.Pattern[str], Build], rank: int = 2) -> Format:
    """A format whose errors are one line each."""
    return Format(name, hints, lambda _paths: LineReader(rows), rank)


def at_line(*endings: str) -> tuple[str, ...]:
    """Hints for `path.ending:12`: with the digit, since `path.ending:` alone is in every other line of a test run."""
    return tuple(f"{ending}:{digit}" for ending in endings for digit in range(1, 10))


def number(text: str | None) -> int | None:
    """A printed line or column as a number; None for nothing, zero and nonsense."""
    if not text or len(text) > 9 or not text.isascii() or not text.isdigit():
        return None
    return int(text) or None
