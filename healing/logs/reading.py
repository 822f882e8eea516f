"""The entry point of this package: returns the errors of a raw log. It never raises, and reports a log that it can't
read.

The findings of one pass (`scan.py`) are deduplicated (`findings.py`) and restricted to the failed step.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import takewhile

from healing.logs.documents.found import Documents
from healing.logs.findings import as_error, settle
from healing.logs.format import Finding, Format
from healing.logs.formats import formats
from healing.logs.formats.generic.loud import calls_itself_an_error, indentation, loudness
from healing.logs.health import Health
from healing.logs.lines import blocks
from healing.logs.paths import Paths
from healing.logs.scan import Scan
from healing.logs.sections import Section
from healing.logs.unusual import WELL
from healing.model import CIError, Severity

MAX_FINDINGS = 5_000
MAX_CHARACTERS = 15_000_000
_ORDER = (Severity.NOTE, Severity.WARNING, Severity.ERROR)
_ELSEWHERE = 0.5  # weight of an error in a step that the runner did not report as failed

# Lines after one that only sounds like an error, in a log that reports no failure: with so many, the job went on. More
# where the line calls itself an error. Signs of success are looked for in the first few of them.
_WENT_ON = 3
_WENT_ON_AFTER_ERROR = 12
_NEXT = 3
_LOOP = 9
_VERDICT = 120  # characters of a line that reports success; a longer one is prose
# A record below a traceback: a logger printed both.
_RECORD = re.compile(r"(?:\W?\d{4}-\d\d-\d\d.{1,60}?\b)?(?:INFO|DEBUG)\b")

_Place = tuple[str, str | None, int | None]


@dataclass(frozen=True)
class LogContext:
    """What is known about a log before it is read; all of it is optional.

    `known_files` are the repository's files; `prefixes` absolute folders that are its root; `step` and `command` the
    name and command of the failed step, `step_started` and `step_finished` its times (ISO 8601, UTC). `formats` are
    used in addition to Heal's own. `exit_code`: how the command ended whose output the log is; without it the log's own
    words decide.
    """

    known_files: Collection[str] | None = None
    prefixes: tuple[str, ...] = ()
    step: str | None = None
    step_started: str | None = None
    step_finished: str | None = None
    command: str | None = None
    formats: tuple[Format, ...] = ()
    exit_code: int | None = None


@dataclass(frozen=True)
class LogReport:
    """The result of reading a log. `could_look` False: it isn't a log; `errors` has what could be read nevertheless.

    `problem` is why the log could not be read completely (empty, binary, undecodable, truncated, too many errors), or
    "".
    """

    errors: tuple[CIError, ...] = ()
    problem: str = ""
    could_look: bool = True
    checkout_sha: str | None = None
    commands: tuple[Section, ...] = ()


@dataclass
class _Room:
    """How many findings and characters have been kept, and how many findings were dropped for lack of room."""

    kept: int = 0
    characters: int = 0
    dropped: int = 0


@dataclass
class _Reading:
    """The state of one pass over a log."""

    scan: Scan
    documents: Documents
    health: Health = field(default_factory=Health)
    findings: list[tuple[int, Finding]] = field(default_factory=list)
    window: tuple[int, int] | None = None
    seen: dict[int, int] = field(default_factory=dict)  # the last line of each finding
    rooms: tuple[_Room, _Room] = field(default_factory=lambda: (_Room(), _Room()))  # generic ones, tools


def read_log(log: bytes | Iterable[bytes], context: LogContext | None = None) -> LogReport:
    """The errors of a job log or of any tool's output, in log order and without duplicates.

    Memory is bounded whatever the log's size; secrets are masked in everything that is returned.
    """
    context = context or LogContext()
    paths = Paths(context.known_files, context.prefixes)
    reading = _read(log, context, paths)
    unreadable = reading.health.unreadable()
    commands = reading.scan.sections()
    errors = _errors(reading, commands, context, paths)
    return LogReport(
        errors=errors,
        problem=unreadable or reading.health.problem() or reading.documents.problem or _overflow(reading, errors),
        could_look=not unreadable,
        checkout_sha=reading.scan.checkout_sha,
        commands=commands,
    )


def checkout_sha(log: bytes) -> str | None:
    """The merge commit that a job log reports as checked out, maybe abbreviated; reads only the runner's own lines."""
    scan = Scan((), Paths())
    for block in blocks(Health().watch(log)):
        for _ in scan.read(block):
            pass  # without formats there are no findings
    return scan.checkout_sha


def _overflow(reading: _Reading, errors: tuple[CIError, ...]) -> str:
    generic, tools = reading.rooms
    dropped = tools.dropped or (generic.dropped if any(error.tool == "generic" for error in errors) else 0)
    return f"too many errors: {dropped} were not kept" if dropped else ""


def _read(log: bytes | Iterable[bytes], context: LogContext, paths: Paths) -> _Reading:
    documents = Documents(paths)
    reading = _Reading(Scan((*formats(), *context.formats), paths, documents), documents)
    for block in blocks(reading.health.watch(log), _times(context)):
        if block.inside:
            reading.window = (reading.window or block.inside)[0], block.inside[1]
        for rank, finding in reading.scan.read(block):
            _keep(reading, rank, finding)
    reading.scan.command_failed = bool(context.exit_code)
    for rank, finding in reading.scan.close():
        _keep(reading, rank, finding)
    reading.findings = reading.documents.settle(reading.findings)
    return reading


def _keep(reading: _Reading, rank: int, finding: Finding) -> None:
    """Keeps each finding once, and no more than memory allows: a log may consist of errors, or of errors of 64 kB.

    Generic findings have their own limit, so that they don't displace those of tools.
    """
    f = finding
    key = _key(f)
    if key in reading.seen:
        reading.seen[key] = max(reading.seen[key], f.log_line)
        return
    room = reading.rooms[rank > 0]
    if room.kept >= MAX_FINDINGS or room.characters > MAX_CHARACTERS:
        room.dropped += 1
        return
    reading.seen[key] = f.log_line
    room.kept += 1
    room.characters += len(f.message) + len(f.excerpt) + len(f.suggestion or "")
    reading.findings.append((rank, finding))


def _key(f: Finding) -> int:
    return hash((f.tool, f.code, f.file, f.line, f.column, f.message or f.span, f.test))


def _times(context: LogContext) -> tuple[str, str] | None:
    """When the failed step ran, in whole seconds as in GitHub's API."""
    return (context.step_started[:19], (context.step_finished or "9")[:19]) if context.step_started else None


def _errors(reading: _Reading, commands: tuple[Section, ...], context: LogContext, paths: Paths) -> tuple[CIError, ...]:
    settled = settle(_after(reading, context.exit_code), paths)
    window = reading.window or _section_window(commands, context)
    if window and (cut := [f for f in settled if window[0] <= f.log_line <= window[1]]):
        settled = cut
    failed = [s for s in commands if s.exit_code]
    errors: dict[str, CIError] = {}
    for finding in settled:
        certain = not failed or any(s.first <= finding.log_line <= s.last for s in failed)
        error = as_error(finding, paths, 1.0 if certain else _ELSEWHERE)
        errors.setdefault(error.id, error)
    return tuple(errors.values())


def _after(reading: _Reading, exit_code: int | None) -> list[tuple[int, Finding]]:
    """The findings adjusted by how the job ended: in a green job tools' errors become warnings and the rest is
    dropped."""
    verdict, findings = reading.scan.verdict, reading.findings
    if verdict.job_is_green() if exit_code is None else exit_code == 0:
        return [
            (rank, replace(f, severity=min(f.severity, Severity.WARNING, key=_ORDER.index), score=f.score * _ELSEWHERE))
            for rank, f in findings
            if rank > 1
        ]
    looped = set() if reading.scan.something_failed else _looped(findings)
    return [(rank, kept) for rank, f in findings if _place(f) not in looped and (kept := _unforgiven(reading, rank, f))]


def _looped(findings: list[tuple[int, Finding]]) -> set[_Place]:
    """The places that printed so many messages that none of them can have ended the program."""
    times = Counter(_place(f) for _, f in findings if f.file and f.line)
    return {place for place, count in times.items() if count > _LOOP}


def _place(finding: Finding) -> _Place:
    return (finding.tool, finding.file, finding.line)


def _unforgiven(reading: _Reading, rank: int, finding: Finding) -> Finding | None:
    """The finding if it failed something: the last time that it was printed, where earlier attempts were retried."""
    if not _forgiven(reading.scan, rank, finding):
        return finding
    last = replace(finding, log_line=reading.seen.get(_key(finding), finding.log_line), span=None)
    is_another = finding.message and last.log_line > finding.log_line
    return last if is_another and not _forgiven(reading.scan, rank, last) else None


def _forgiven(scan: Scan, rank: int, finding: Finding) -> bool:
    """Whether what follows in the log shows that the finding failed nothing. Findings of tools that
    belong to no test are kept."""
    verdict = scan.verdict
    if verdict.harmless(finding.log_line) and (rank <= 1 or finding.test):
        return True
    if not scan.something_failed and _was_survived(scan, rank, finding):
        return True
    if finding.file or finding.test:
        return False
    return verdict.was_retried(finding.log_line) or verdict.was_ignored(finding.log_line)


def _was_survived(scan: Scan, rank: int, finding: Finding) -> bool:
    """Whether the log, which reports no failure, shows by what follows that the job went on after the finding."""
    if rank == 1 and not finding.test:
        after = scan.after(finding.span[1] if finding.span else finding.log_line)
        return all(_RECORD.match(next(filter(str.strip, lines), "")) for lines in (after, reversed(after)))
    if rank >= 0:
        return False
    after = scan.after(finding.log_line)
    line = finding.excerpt.partition("\n")[0]
    beside = [text for text in after if text.strip() and indentation(text) <= indentation(line)]
    most = _WENT_ON_AFTER_ERROR if calls_itself_an_error(line) else _WENT_ON
    if len(beside) > most or (beside and _RECORD.match(beside[-1]) and not loudness(beside[-1])):
        return True
    paragraph = list(takewhile(str.strip, after))
    return any(len(text) <= _VERDICT and WELL.search(text) for text in (*paragraph[:_NEXT], *paragraph[-1:]))


def _section_window(commands: tuple[Section, ...], context: LogContext) -> tuple[int, int] | None:
    """The lines of the step by name or command: the runner prints `Run <first line of the command>` as its heading."""
    names = {(context.step or "").removeprefix("Run ").strip(), (context.command or "").strip().partition("\n")[0]} - {
        ""
    }
    hits = [s for s in commands if s.name in names]
    hits = [s for s in hits if s.exit_code] or hits
    return (hits[-1].first, hits[-1].last) if hits else None
