"""The parts of pytest's output with what tests printed, compared and warned of. Anything in them that looks like an
error of another tool is data."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from healing.logs.format import Finding
from healing.logs.lines import Line
from healing.model import Category

_PRINTED = re.compile(
    r"(?:test session starts|FAILURES|ERRORS|PASSES|XFAILURES|XPASSES|warnings summary|short test summary info)\b"
)
# With `-q` the summary has no end line: it ends before the first line of another form.
_SUMMARY = "short test summary info"
_OF_SUMMARY = re.compile(r"(?:FAILED|ERROR|SKIPPED|XFAIL|XPASS|PASSED|RERUN|SUBFAIL\w*|SUBFAILED\(.*\)|!+)\s|\s|$")
_END_OF_WARNINGS = "-- Docs: "  # output of plugins after it has no heading
_LIMIT = 1_000

Span = tuple[int, int]


@dataclass
class PrintedOutput:
    """The spans of such output in one run."""

    spans: list[Span] = field(default_factory=list)
    _since: int = 0
    _last: int = 0
    _summary: bool = False

    def section(self, title: str, line: Line) -> None:
        """Reads a heading, which ends the previous section."""
        self._end(line.number - 1)
        self._since = line.number if _PRINTED.match(title) else 0
        self._summary = title.startswith(_SUMMARY)

    def read(self, line: Line) -> None:
        """Reads a line that isn't a heading."""
        if self._summary and not _OF_SUMMARY.match(line.text):
            self._end(line.number - 1)
        self._last = line.number
        if self._since and line.text.startswith(_END_OF_WARNINGS):
            self._end(line.number)

    def _end(self, last: int) -> None:
        if self._since and last >= self._since and len(self.spans) < _LIMIT:
            self.spans.append((self._since, last))
        self._since = 0

    def close(self) -> Sequence[Span]:
        """Ends the run; returns its spans."""
        self._end(self._last)
        spans, self.spans = self.spans, []
        return spans


def silent_findings(spans: Iterable[Span], plugins: Sequence[Span]) -> Iterator[Finding]:
    """Findings without a message for the spans, except for the blocks of plugins, which have a linter's own errors."""
    for first, last in spans:
        start = first
        for a, b in sorted(span for span in plugins if first <= span[0] <= last):
            yield from _hush(start, a - 1)
            start = b + 1
        yield from _hush(start, last)


def _hush(first: int, last: int) -> Iterator[Finding]:
    if first <= last:
        yield Finding(
            tool="pytest", category=Category.TEST, message="", log_line=first, span=(first, last), repeats=True
        )
