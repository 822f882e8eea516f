"""What kind of failure a log shows, before anything is spent on it (IN-6, thin: one log, no history).

`flaky` can't be known from one log; it is here for those who have history, and for runners that say so themselves.
"""

import re
from dataclasses import dataclass
from typing import Literal

from healing.logs.reading import LogReport
from healing.model import Category, CIError, Severity

Kind = Literal["code", "flaky", "infrastructure", "configuration", "dependency"]
_TAIL_CHARS = 60_000
_KILLED = {137: "killed (exit code 137), mostly out of memory", 143: "terminated (exit code 143) from outside"}


@dataclass(frozen=True)
class Triage:
    """The kind of a failure and the words that say why."""

    kind: Kind
    why: str


@dataclass(frozen=True)
class _Signal:
    """Words in a log that tell a kind of failure, and how to say it."""

    kind: Kind
    why: str
    words: re.Pattern[str]


def _signal(kind: Kind, why: str, *words: str) -> _Signal:
    return _Signal(kind, why, re.compile("|".join(words), re.IGNORECASE | re.MULTILINE))


# Said by the machine about itself: true whatever errors stand beside it.
_CERTAIN = (
    _signal(
        "infrastructure",
        "the runner was lost",
        "lost communication with the server",
        "runner has received a shutdown signal",
        "hosted runner encountered an error",
    ),
    _signal("infrastructure", "the disk is full", "No space left on device", r"\bENOSPC\b"),
    _signal("infrastructure", "the job ran out of time", "exceeded the maximum execution time"),
    _signal(
        "infrastructure",
        "the memory ran out",
        "Cannot allocate memory",
        r"\bENOMEM\b",
        "JavaScript heap out of memory",
        "OOMKilled",
        "Out of memory: Kill",
    ),
)
_SET_UP = (
    _signal(
        "configuration",
        "the workflow is broken",
        "Unable to resolve action",
        r"Can't find 'action\.yml'",
        "Invalid workflow file",
        "workflow is not valid",
    ),
    _signal(
        "configuration",
        "a secret or a permission is missing",
        "Input required and not supplied",
        "Bad credentials",
        "Resource not accessible by integration",
    ),
    _signal(
        "configuration",
        "a command is not installed",
        r"command not found\s*$",
        "is not recognized as an internal or external command",
    ),
    _signal(
        "dependency",
        "a package could not be resolved",
        "No matching distribution found",
        "Could not find a version that satisfies",
        "ResolutionImpossible",
        "No solution found when resolving",
        r"npm (?:ERR!|error) (?:code )?(?:ERESOLVE|ETARGET|E404|EUSAGE)",
        "ERR_PNPM_",
    ),
    _signal(
        "dependency",
        "a package could not be installed",
        "Failed building wheel for",
        "Could not build wheels for",
        "subprocess-exited-with-error",
        "THESE PACKAGES DO NOT MATCH THE HASHES",
    ),
)
_NETWORK = (
    _signal(
        "infrastructure",
        "a rate limit was hit",
        "rate limit exceeded",
        "Too Many Requests",
        "toomanyrequests",
        "secondary rate limit",
    ),
    _signal(
        "infrastructure",
        "a name could not be resolved",
        "Could not resolve host",
        "Temporary failure in name resolution",
        "getaddrinfo (?:ENOTFOUND|EAI_AGAIN|failed)",
        "Name or service not known",
    ),
    _signal(
        "infrastructure",
        "the network failed",
        "Connection (?:reset by peer|refused|timed out)",
        r"\bE(?:CONNRESET|CONNREFUSED|TIMEDOUT)\b",
        "TLS handshake timeout",
        "Read timed out",
        "RemoteDisconnected",
        "Max retries exceeded",
        "early EOF",
    ),
    _signal(
        "infrastructure",
        "a server failed",
        r"(?:HTTP|status|error)[ :]{1,3}50[0234]\b",
        "Service Unavailable",
        "Bad Gateway",
        "Gateway Time-?out",
    ),
)


def triage(report: LogReport, log_tail: str, exit_code: int | None = None) -> Triage:
    """The kind of the failure. `log_tail` is the end of the log as text; only its last 60,000 characters are read.

    Located errors make it `code`, unless the machine itself failed or every one of them speaks of the network.
    """
    tail = log_tail[-_TAIL_CHARS:]
    if certain := _first(_CERTAIN, tail):
        return certain
    if exit_code in _KILLED:
        return Triage("infrastructure", _KILLED[exit_code])
    located = [e for e in report.errors if e.severity is Severity.ERROR and e.tool not in ("annotation", "generic")]
    if located:
        return _of_errors(located)
    if found := _first(_SET_UP, tail) or _first(_NETWORK, tail):
        return found
    if exit_code in (126, 127):
        return Triage("configuration", f"a command could not be started (exit code {exit_code})")
    if not report.could_look:
        return Triage("infrastructure", f"the log could not be read ({report.problem})")
    return Triage("code", "nothing in the log speaks of the machine, the network or the set-up")


def _of_errors(errors: list[CIError]) -> Triage:
    found = [_first(_NETWORK, error.message) for error in errors]
    if found[0] and all(found):
        return Triage("infrastructure", f"{found[0].why}, in every error of the log")
    if all(error.category is Category.CONFIG for error in errors):
        return Triage("configuration", errors[0].message)
    if all(error.category is Category.DEPENDENCY for error in errors):
        return Triage("dependency", errors[0].message)
    return Triage("code", f"{len(errors)} error{'s' * (len(errors) > 1)} told by {errors[0].tool}")


def _first(signals: tuple[_Signal, ...], text: str) -> Triage | None:
    return next((Triage(signal.kind, signal.why) for signal in signals if signal.words.search(text)), None)
