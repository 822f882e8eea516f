"""Classifies the failure in a log before anything is spent on it. In doubt it is `code`, the only kind that Heal works
on.

The evidence has to be at the failing end of the failed step, and not inside an error of the repository's own code: a
test that expects `connection refused` is a test. The patterns are in `evidence/`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from healing.logs.evidence.configuration import CONFIGURATION
from healing.logs.evidence.dependency import CONFLICTS, PACKAGES
from healing.logs.evidence.ending import ending
from healing.logs.evidence.flaky import FLAKY
from healing.logs.evidence.network import NETWORK, OFFLINE
from healing.logs.evidence.runner import RESOURCES, RUNNER
from healing.logs.evidence.signal import RERUN, Kind, Signal
from healing.logs.reading import LogReport
from healing.logs.wording import shortened
from healing.model import Category, CIError, Severity

TAIL_CHARS = 60_000
_KILLED = {137: "killed (exit code 137), mostly out of memory", 143: "terminated (exit code 143) from outside"}
_NOT_STARTED = (126, 127)
_TIMED_OUT = 124
_ORDER = (*OFFLINE, *CONFLICTS, *NETWORK, *CONFIGURATION, *PACKAGES, *FLAKY)
_OUTSIDE = tuple(signal for signal in (*RESOURCES, *NETWORK, *FLAKY) if signal.in_errors)
_NO_CODE = (Category.DEPENDENCY, Category.CONFIG, Category.INFRASTRUCTURE)
_AT_RUN_TIME = (Category.TEST, Category.RUNTIME)
_BEYOND_US = re.compile(r"host='|https?://|[\w-]{2,60}\.(?:com|org|net|io|dev)\b|\bcrates\b")
_AT_HOME = re.compile(r"localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|example\.(?:com|org|net)|\.(?:test|invalid|local)\b")
_EXPECTING = re.compile(
    r"\bassert|AssertionError|\bexpect(?:ed|\()|DID NOT RAISE|\bto (?:be|equal|contain|match|throw)\b|==|!=|\bmock",
    re.IGNORECASE,
)
# Printed by test runners and failing code; then a message about the network is the test's own.
_CODE_FAILED = re.compile(
    r"\b[1-9]\d{0,6} (?:tests?|specs?|examples?|scenarios?|suites?)\b.{0,40}\bfail"
    r"|(?<![\w:.])[1-9]\d{0,6} fail(?:ed|ing|ures?)\b|^\s{0,4}(?:FAIL|FAILED|--- FAIL|not ok \d{1,6})(?::|\s)"
    r"|\bFailures: [1-9]|AssertionError|assertion failed|test result: FAILED|^panic: |^thread '.{1,80}' panicked"
)


@dataclass(frozen=True)
class Triage:
    """The kind of a failure, the reason, the log line that is the evidence, and what to do.

    `retryable`: the same commit may pass on a re-run.
    """

    kind: Kind
    why: str
    evidence: str = ""
    advice: str = ""
    retryable: bool = False


def triage(report: LogReport, log_tail: str, exit_code: int | None = None) -> Triage:
    """The kind of the failure. `log_tail` is the end of the log as text; only its last 60,000 characters are read.

    Errors with a place or a test make it `code`, unless the machine itself failed or every one of them has an external
    cause.
    """
    end = ending(log_tail[-TAIL_CHARS:])
    exit_code = end.exit_code if exit_code is None else exit_code
    code = _of_code(report.errors)
    free = [line for line in end.lines if not _explained_by(line, code)]
    if certain := _first_signal(RUNNER, (*end.loud, *free)) or _first_signal(RESOURCES, free):
        return certain
    if exit_code in _KILLED:
        return Triage("infrastructure", _KILLED[exit_code], "", RERUN, retryable=True)
    if code:
        return _of_errors(code)
    return (
        _of_lines(free)
        or _of_exit(exit_code)
        or _of_lines(_lines_of_errors(report.errors))
        or _of_categories(report)
        or _of_nothing(report)
    )


def _of_code(errors: Iterable[CIError]) -> list[CIError]:
    """The errors that name a file or a test: they come from code."""
    return [
        error
        for error in errors
        if error.severity is Severity.ERROR and error.category not in _NO_CODE and (error.file or error.test)
    ]


def _lines_of_errors(errors: Iterable[CIError]) -> list[str]:
    """The lines of the errors, where none of them is of code. They may stand above the ending: npm prints its whole
    usage below what it refuses."""
    errors = [error for error in errors if error.severity is Severity.ERROR]
    return [line for error in errors for line in error.excerpt.split("\n")] if all(map(_is_of_no_code, errors)) else []


def _is_of_no_code(error: CIError) -> bool:
    return error.category in _NO_CODE


def _explained_by(line: str, errors: Sequence[CIError]) -> bool:
    line = line.strip()
    return any(line in error.message or line in error.excerpt for error in errors)


def _of_errors(errors: list[CIError]) -> Triage:
    causes = [_external_cause(error) for error in errors]
    if causes[0] and all(causes) and (len(errors) > 1 or _BEYOND_US.search(errors[0].message)):
        why = f"{causes[0].why}, in every error of the log"
        return Triage(causes[0].kind, why, causes[0].evidence, causes[0].advice, causes[0].retryable)
    count = f"{len(errors)} error{'s' * (len(errors) > 1)}"
    return Triage("code", f"{count} reported by {errors[0].tool}", errors[0].message)


def _external_cause(error: CIError) -> Triage | None:
    """The external cause that an error names, if any. A failed expectation is the code's, whatever its text."""
    if error.category not in _AT_RUN_TIME or error.expected is not None or error.actual is not None:
        return None
    if _EXPECTING.search(error.message) or _AT_HOME.search(error.message):
        return None
    return _first_signal(_OUTSIDE, error.message.split("\n"))


def _of_lines(lines: Sequence[str]) -> Triage | None:
    return None if any(_CODE_FAILED.search(line) for line in lines) else _first_signal(_ORDER, lines)


def _of_exit(exit_code: int | None) -> Triage | None:
    if exit_code in _NOT_STARTED:
        return Triage("configuration", f"a command could not be started (exit code {exit_code})")
    if exit_code == _TIMED_OUT:
        return Triage("infrastructure", "`timeout` ended the command (exit code 124)", "", RERUN, retryable=True)
    return None


def _of_categories(report: LogReport) -> Triage | None:
    """The kind by the errors' categories. An error in a file of the repository can be fixed there, so it is `code`."""
    errors = [error for error in report.errors if error.severity is Severity.ERROR]
    kinds: tuple[tuple[Category, Kind], ...] = ((Category.CONFIG, "configuration"), (Category.DEPENDENCY, "dependency"))
    for category, kind in kinds:
        if errors and all(error.category is category and not error.file for error in errors):
            return Triage(kind, errors[0].message, errors[0].message)
    return None


def _of_nothing(report: LogReport) -> Triage:
    if not report.could_look:
        return Triage("infrastructure", f"the log could not be read ({report.problem})", "", RERUN, retryable=True)
    return Triage("code", "nothing in the log speaks of the machine, the network or the set-up")


def _first_signal(signals: Iterable[Signal], lines: Sequence[str]) -> Triage | None:
    """The first of the signals that matches a line, with the last such line."""
    for signal in signals:
        for line in reversed(lines):
            if signal.pattern.search(line):
                return Triage(signal.kind, signal.why, shortened(line.strip(), 500), signal.advice, signal.retryable)
    return None
