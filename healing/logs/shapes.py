"""Formats as rows of patterns: what a tool tells in one line (`Row`), or in a line and others below it (`RowPair`).

Named groups are the fields of a finding: file, line, column, end_line, end_column, code, level, message, test,
expected, actual, suggestion; and caret, whose place is the column. What both lines of a `RowPair` name is taken from
the
later one; a `sentence` is a message without a word before it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.wording import severity_named
from healing.model import Category, Severity

_CHARS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An error in a line. `severity` where the line has no `level`, `path` where it names no file."""

    tool: str
    line: re.Pattern[str]
    category: Category = Category.LINT
    severity: Severity = Severity.ERROR
    path: str | None = None
    score: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPair:
    """An error whose words and place stand in different lines.

    `then` may come up to `reach` lines after `first`, and more than once where `many`; a line like `stop` ends the
    waiting. Lines in between that match one of `between` add their fields. `alone`: `first` is an error also where no
    `then` comes. A `then` with the group `never` says that it was no error.
    """

    tool: str
    first: re.Pattern[str]
    then: re.Pattern[str]
    category: Category = Category.LINT
    severity: Severity = Severity.ERROR
    path: str | None = None
    score: float = 1.0
    reach: int = 6
    many: bool = False
    alone: bool = False
    stop: re.Pattern[str] | None = None
    between: tuple[re.Pattern[str], ...] = ()


@dataclass(slots=True)
class _Open:
    """A first line that waits for its second."""

    shape: RowPair
    line: Line
    fields: dict[str, str]
    passed: int = 0
    last: int = 0
    reported: bool = False
    kept: list[str] = field(default_factory=list)


class ShapeReader:
    """Tries the rows in their order; the first that matches tells the line."""

    def __init__(self, shapes: tuple[Row | RowPair, ...]) -> None:
        self._ones = [shape for shape in shapes if isinstance(shape, Row)]
        self._twos = [shape for shape in shapes if isinstance(shape, RowPair)]
        self._open: _Open | None = None

    @property
    def busy(self) -> bool:
        """Waits for a second line."""
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        """What the line completes or tells by itself."""
        waiting = self._open
        if waiting and (match := waiting.shape.then.match(line.text)):
            return self._completed(waiting, match, line)
        found: list[Finding] = []
        if waiting and self._over(waiting, line):
            found += self.close()
        for two in self._twos:
            if match := two.first.match(line.text):
                found += self.close()
                self._open = _Open(two, line, _fields(match, line), last=line.number, kept=[line.text[:_CHARS]])
                return found
        for one in self._ones:
            if match := one.line.match(line.text):
                return [*found, finding(one, _fields(match, line), line.number, line.text)]
        return found

    def close(self) -> Iterable[Finding]:
        """The first line that stood alone, where that is an error too."""
        waiting, self._open = self._open, None
        if waiting is None or waiting.reported or not waiting.shape.alone:
            return ()
        first, excerpt = waiting.line.number, "\n".join(waiting.kept[: waiting.last - waiting.line.number + 1])
        return (finding(waiting.shape, waiting.fields, first, excerpt, (first, waiting.last)),)

    def _over(self, waiting: _Open, line: Line) -> bool:
        """Whether the waiting ends here; takes what the line adds."""
        stop = waiting.shape.stop
        if stop is not None and stop.match(line.text):
            return True
        waiting.passed += 1
        waiting.kept.append(line.text[:_CHARS])
        for pattern in waiting.shape.between:
            if match := pattern.match(line.text):
                waiting.fields = _fields(match, line) | waiting.fields
                waiting.last = line.number
        return waiting.passed >= waiting.shape.reach

    def _completed(self, waiting: _Open, match: re.Match[str], line: Line) -> Iterable[Finding]:
        shape, fields = waiting.shape, _fields(match, line)
        at = line.number if shape.many or not waiting.fields.keys() & {"message", "test"} else waiting.line.number
        span = (line.number if shape.many else waiting.line.number, line.number)
        excerpt = "\n".join([*waiting.kept, line.text])[:_CHARS]
        waiting.passed, waiting.reported, waiting.kept = 0, True, waiting.kept[:1]
        if not shape.many:
            self._open = None
        made = finding(shape, waiting.fields | fields, at, excerpt, span)
        if "never" in fields:
            return (replace(made, message=""),)  # the span alone: nobody else tells it either
        return (made,) if made.message else ()


def _fields(match: re.Match[str], line: Line) -> dict[str, str]:
    """The groups that have a text; a caret's place is the column, the runner's mark a level."""
    fields = {name: text for name, text in match.groupdict().items() if text}
    if "caret" in fields:
        fields["column"] = str(match.start("caret") + 1)
    if line.mark in ("error", "warning", "notice"):
        fields.setdefault("level", line.mark)
    return fields


def finding(
    shape: Row | RowPair, fields: dict[str, str], at: int, excerpt: str, span: tuple[int, int] | None = None
) -> Finding:
    """The finding that a shape's groups make."""
    level = fields.get("level")
    return Finding(
        tool=shape.tool,
        category=shape.category,
        severity=(severity_named(level) if level else None) or shape.severity,
        message=(fields.get("message") or fields.get("sentence") or fields.get("test", "")).strip(),
        file=fields.get("file") or shape.path,
        line=number(fields.get("line")),
        column=number(fields.get("column")),
        end_line=number(fields.get("end_line")),
        end_column=number(fields.get("end_column")),
        log_line=at,
        span=span,
        excerpt=excerpt,
        score=shape.score,
        code=_text(fields, "code"),
        test=_text(fields, "test"),
        expected=_text(fields, "expected"),
        actual=_text(fields, "actual"),
        suggestion=_text(fields, "suggestion"),
    )


def _text(fields: dict[str, str], name: str) -> str | None:
    return fields[name].strip() if name in fields else None


def shaped(name: str, hints: tuple[str, ...], *shapes: Row | RowPair, before: int = 0, rank: int = 2) -> Format:
    """A format made of such rows."""
    return Format(name, hints, lambda _paths: ShapeReader(shapes), rank, before)
