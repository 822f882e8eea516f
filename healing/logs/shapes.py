"""Formats as rows of patterns: for errors in one line (`Row`), or in a line and another one below it (`RowPair`).

Named groups are the fields of a finding: file, line, column, end_line, end_column, code, level, message, test,
expected, actual, suggestion; and caret, whose position is the column. Where both lines of a `RowPair` have a field, the
later one is used. `sentence` is a message that nothing in the line introduces; `message` has precedence over it.
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
    """An error in one line. `severity` is used where the line has no `level`, `path` where it names no file."""

    tool: str
    line: re.Pattern[str]
    category: Category = Category.LINT
    severity: Severity = Severity.ERROR
    path: str | None = None
    score: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPair:
    """An error whose message and place are in different lines.

    `then` may come up to `reach` lines after `first`, and more than once with `many`; a line that matches `stop` ends
    the search. Lines in between that match one of `between` add their fields. `alone`: `first` is an error even without
    a `then`. A `then` with the group `never` means that it isn't an error.
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
    """A `first` line whose `then` has not come yet."""

    shape: RowPair
    line: Line
    fields: dict[str, str]
    passed: int = 0
    last: int = 0
    reported: bool = False
    kept: list[str] = field(default_factory=list)


class ShapeReader:
    """Tries the shapes in their order, pairs before single rows; the first match counts."""

    def __init__(self, shapes: tuple[Row | RowPair, ...]) -> None:
        self._rows = [shape for shape in shapes if isinstance(shape, Row)]
        self._pairs = [shape for shape in shapes if isinstance(shape, RowPair)]
        self._open: _Open | None = None

    @property
    def busy(self) -> bool:
        """Whether a pair's second line is still to come."""
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        """The findings that the line completes, or is by itself."""
        waiting = self._open
        if waiting and (match := waiting.shape.then.match(line.text)):
            return self._completed(waiting, match, line)
        findings: list[Finding] = []
        if waiting and self._over(waiting, line):
            findings += self.close()
        for pair in self._pairs:
            if match := pair.first.match(line.text):
                findings += self.close()
                self._open = _Open(pair, line, _fields(match, line), last=line.number, kept=[line.text[:_CHARS]])
                return findings
        for row in self._rows:
            if match := row.line.match(line.text):
                return [*findings, finding(row, _fields(match, line), line.number, line.text)]
        return findings

    def close(self) -> Iterable[Finding]:
        """The finding of a first line without a second, where that is an error too."""
        waiting, self._open = self._open, None
        if waiting is None or waiting.reported or not waiting.shape.alone:
            return ()
        first, excerpt = waiting.line.number, "\n".join(waiting.kept[: waiting.last - waiting.line.number + 1])
        return (finding(waiting.shape, waiting.fields, first, excerpt, (first, waiting.last)),)

    def _over(self, waiting: _Open, line: Line) -> bool:
        """Whether the search for the second line ends here; adds the line's fields to the pair's."""
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
        result = finding(shape, waiting.fields | fields, at, excerpt, span)
        if "never" in fields:
            return (replace(result, message=""),)  # the span alone, so that no other format reports it
        return (result,) if result.message else ()


def _fields(match: re.Match[str], line: Line) -> dict[str, str]:
    """The groups that are not empty; a caret's position is the column, the runner's mark a level."""
    fields = {name: text for name, text in match.groupdict().items() if text}
    if "caret" in fields:
        fields["column"] = str(match.start("caret") + 1)
    if line.mark in ("error", "warning", "notice"):
        fields.setdefault("level", line.mark)
    return fields


def finding(
    shape: Row | RowPair, fields: dict[str, str], at: int, excerpt: str, span: tuple[int, int] | None = None
) -> Finding:
    """The finding with the fields of a shape's groups."""
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
    """A format with these rows and pairs."""
    return Format(name, hints, lambda _paths: ShapeReader(shapes), rank, before)
