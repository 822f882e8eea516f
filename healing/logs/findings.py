"""Turns the findings of all formats into errors: drops duplicates by rank, maps paths, masks secrets, assigns ids."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from healing.logs.format import Finding
from healing.logs.formats.generic.quiet import RANK as LAST_WORDS
from healing.logs.formats.generic.quiet import only_reports_an_end
from healing.logs.paths import Paths
from healing.logs.redaction import redact
from healing.logs.wording import default_score, outline, read_words, shortened
from healing.model import CIError, Related, Severity, error_id

MESSAGE_CHARS = 2_000
EXCERPT_CHARS = 3_000
RELATED = 60
# What a simulator (GHDL) prints before a severity: `@10ns:(report note): `.
_PLACE = re.compile(r"@\S{1,20}:\((?:report|assertion) (?=\w{4,7}\))")
GUESSED = "log"  # the tool of lines that only sound like errors
_FEW = 4
_MORE = 0.3
_ASIDE = 0.3
SURE = 0.4  # the score of a generic finding; the runner's own "exit code 1" has less


def settle(findings: Iterable[tuple[int, Finding]], paths: Paths) -> list[Finding]:
    """`findings` (rank, finding) in log order, without those that a more specific format has reported already.

    Rank 1 (tracebacks) is dropped inside a tool's span; rank 0 (generic) also at the same file and line or on the same
    log line; of what is left then, ranks below 0 (guesses) if there is any sure error of a higher rank, and among
    themselves single lines inside blocks. Findings of tools are dropped for those of other tools only inside a test
    runner's span that repeats what its tests printed. In addition, a user's own matcher (rank 3) is dropped where a
    tool reports the same place in the same log line, because that tool's format reads more of it. A finding without a
    message is not an error: its span is text that a tool's format read and found harmless.
    """
    findings = ((rank, _as_it_says(f)) for rank, f in findings)
    ordered = sorted(findings, key=lambda ranked: (ranked[1].log_line, -ranked[0], ranked[1].tool, ranked[1].message))
    return _weighted([finding for _, finding in _without_guesses(_reported_once(ordered, paths))])


def _as_it_says(finding: Finding) -> Finding:
    """A generic finding with the severity that its message begins with, if it calls itself no error."""
    severity = read_words(_PLACE.sub("", finding.message)).severity if finding.tool == "generic" else None
    if severity in (Severity.WARNING, Severity.NOTE) and finding.severity is Severity.ERROR:
        return replace(finding, severity=severity, score=default_score(severity))
    return finding


def _reported_once(ordered: Sequence[tuple[int, Finding]], paths: Paths) -> list[tuple[int, Finding]]:
    """The findings with a message that no more specific one repeats or covers."""
    tools = _Tools(ordered, paths)
    return [(rank, f) for rank, f in ordered if f.message and not tools.report(rank, f)]


class _Tools:
    """What the findings of tools (rank above 0) report already: places, lines, tests."""

    def __init__(self, ordered: Sequence[tuple[int, Finding]], paths: Paths) -> None:
        of_tools = [(rank, f) for rank, f in ordered if rank > 0]
        self._paths = paths
        self._lines = {f.log_line for _, f in of_tools}
        self._spans = _Spans([f for _, f in of_tools])
        self._main_spans = _Spans([f for rank, f in of_tools if rank == 2])
        self._repeated = _repeated([f for _, f in ordered if f.repeats])
        self._places = {place for _, f in of_tools for place in _places(f, paths)}
        self._on_lines = {(f.log_line, place) for rank, f in of_tools if rank == 2 for place in _places(f, paths)}
        self._placed_tests = {f.test: f.tool for _, f in of_tools if f.test and f.file and f.line}

    def report(self, rank: int, finding: Finding) -> bool:
        """Whether a finding of another format says the same, so that this one is dropped."""
        places = _places(finding, self._paths)
        if rank == 3:
            return any((finding.log_line, place) in self._on_lines for place in places) or self._is_a_placed_test(
                finding
            )
        if self._was_printed_by_a_test(finding) or self._is_a_placed_test(finding):
            return True
        if rank == 1:
            return finding.log_line in self._main_spans
        return rank <= 0 and (
            finding.log_line in self._lines or finding.log_line in self._spans or not self._places.isdisjoint(places)
        )

    def _was_printed_by_a_test(self, finding: Finding) -> bool:
        """Whether a test runner's span, which only repeats what its tests printed, holds the finding."""
        return any(
            program == finding.program and tool != finding.tool and finding.log_line in inside
            for (program, tool), inside in self._repeated.items()
        )

    def _is_a_placed_test(self, finding: Finding) -> bool:
        """Whether another format reports the same failed test with its place, which this finding lacks."""
        if not finding.test or finding.file:
            return False
        return self._placed_tests.get(finding.test, finding.tool) != finding.tool


def _without_guesses(findings: list[tuple[int, Finding]]) -> list[tuple[int, Finding]]:
    """The findings without the guesses that a sure error, or a better guess, makes needless."""
    sure = max((rank for rank, f in findings if _is_sure(f)), default=-9)
    findings = [(rank, f) for rank, f in findings if rank >= min(sure, 0)]
    if any(rank > LAST_WORDS and not only_reports_an_end(f.excerpt) for rank, f in findings):
        findings = [(rank, f) for rank, f in findings if rank > LAST_WORDS]
    weak = _Spans([f for rank, f in findings if LAST_WORDS < rank < 0])
    return [(rank, f) for rank, f in findings if rank >= 0 or f.span or f.log_line not in weak]


def _weighted(findings: list[Finding]) -> list[Finding]:
    """Lowers the score of a tool's errors from the fifth on, so that other tools' errors rank above them.

    The same for a compiler's incidental warnings; a linter's warnings keep their score, since they fail its job.
    """
    seen: Counter[str] = Counter()
    weighted = []
    for finding in findings:
        if finding.severity is Severity.ERROR or finding.score < _ASIDE:
            # Guesses have no tool: they are grouped by their outline, which is the same for lines of one statement.
            kind = outline(finding.message) if finding.tool == GUESSED else finding.tool
            seen[kind] += 1
            if seen[kind] > _FEW:
                finding = replace(finding, score=finding.score * _MORE)  # noqa: PLW2901 - with a lower score
        weighted.append(finding)
    return weighted


def _is_sure(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR and finding.score >= SURE


class _Spans:
    """The log lines that multi-line findings cover."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._spans = sorted(f.span for f in findings if f.span)
        self._ends: list[int] = []
        for _, end in self._spans:
            self._ends.append(max(end, self._ends[-1] if self._ends else 0))

    def __contains__(self, number: int) -> bool:
        index = bisect_right(self._spans, (number, 1 << 60)) - 1
        return index >= 0 and self._ends[index] >= number


def _repeated(findings: Iterable[Finding]) -> dict[tuple[str, str], _Spans]:
    """By program and test runner: the spans that only repeat what its tests printed and compared."""
    runs: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        runs.setdefault((finding.program, finding.tool), []).append(finding)
    return {run: _Spans(spans) for run, spans in runs.items()}


def _places(finding: Finding, paths: Paths) -> set[tuple[str, int]]:
    spots = [(finding.file, finding.line), *((r.file, r.line) for r in finding.related)]
    return {(paths.repository(file) or file, line) for file, line in spots if file and line}


def as_error(finding: Finding, paths: Paths, weight: float) -> CIError:
    """The finding as a CIError. `weight` (0..1) scales its score by how likely its part of the log failed the job."""
    message = _masked(finding.message, MESSAGE_CHARS)
    test = _masked(finding.test, MESSAGE_CHARS) if finding.test else None
    file = paths.repository(finding.file) if finding.file else None
    # A line without a file name is kept; a line in a file outside the repository is dropped.
    placed = file or not finding.file
    spot = (finding.line, finding.column, finding.end_line, finding.end_column) if placed else (None,) * 4
    code = redact(finding.code) if finding.code else None
    return CIError(
        id=error_id(tool=finding.tool, code=code, file=file, line=spot[0], column=spot[1], message=message, test=test),
        tool=finding.tool,
        code=code,
        category=finding.category,
        severity=finding.severity,
        file=file,
        line=spot[0],
        column=spot[1],
        end_line=spot[2],
        end_column=spot[3],
        message=message,
        related=tuple(_related(item, paths) for item in finding.related[-RELATED:]),
        test=test,
        expected=_masked(finding.expected, EXCERPT_CHARS) if finding.expected is not None else None,
        actual=_masked(finding.actual, EXCERPT_CHARS) if finding.actual is not None else None,
        suggestion=_masked(finding.suggestion, MESSAGE_CHARS) if finding.suggestion else None,
        excerpt=_masked(finding.excerpt, EXCERPT_CHARS),
        score=round(finding.score * weight, 3),
        log_line=finding.log_line,
    )


def _related(item: Related, paths: Paths) -> Related:
    file = paths.repository(item.file) if item.file else None
    return Related(
        file=file,
        line=item.line if file else None,
        column=item.column if file else None,
        message=_masked(item.message, MESSAGE_CHARS),
    )


def _masked(text: str, limit: int) -> str:
    """The text, redacted first and shortened after, so that no half of a secret remains unrecognized."""
    text = redact(text[: 4 * limit])
    return shortened(text, limit)
