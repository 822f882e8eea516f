"""The last resort: lines that sound like errors, reported only if there is no other error (rank -2).

And the few messages that end a job whatever else it prints: killed, timed out, no space, no such command (rank 0).

A line's loudness is a small sum over its beginning, its words, signs that it is harmless, and whether the job ended
right after it.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.logs.wording import outline
from healing.model import Category

LIMIT = 10  # findings of one log
_KEPT = 400
_ENOUGH = 2
_NEAR_LINES = 8  # lines before the end of a command that count as near
_NEAR = 2
_ALIKE = 3  # of the same outline

_STARTS = re.compile(
    r"(?!-- )\W{0,4}(?:(?i:fatal|error|failed|failure|panic|abort(?:ed)?|critical|unhandled(?: \w{1,20})?)"
    r"|(?=[A-Z ]{0,40}(?:ERR|FAIL|MISS|REGR|ABORT|BROKEN|INVALID|DENI|CONFLICT))[A-Z ]{3,40}(?=:)|E(?=:)"
    r"|[FE]\d{4}(?= \d\d:\d\d:\d\d)|ts=\S{1,40} .{0,80}?level=(?i:error|fatal)|\d{1,6} of \d{1,6} \w{1,20} failed"
    r"|[A-Z]{3,12} FAILED|[\w./-]{1,30}(?::| \w{1,12})? (?i:error|fatal|failed)(?=:)"
    r"|(?:tar|curl|wget|ssh|gpg|unzip|cp|mv)(?=:))\b\W"
)
_STRONG = re.compile(
    r"segmentation fault|core dumped|out of memory|oom-?kill|no space left|\bkilled\b|\bsig(?:kill|segv|bus|abrt|ill)\b"
    r"|(?:timed|time|timing) ?out\b|took >|returning [1-9]"
    r"|exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]|permission denied|not authorized|access denied"
    r"|connection (?:refused|reset)|(?:could not|unable to) resolve|unable to locate"
    r"|\w(?:error|exception): "
    r"|terminate called|build stopped|exec format error|out of date|not allowed|(?:bad|502) gateway|x509:|has expired"
    r"|please (?:run|format|commit|update|fix)\b|is held by|does not have a release file"
    r"|(?:hash|checksum|sha\d{1,3}) mismatch"
    r"|test failures|no matching|rate limit|\[(?:emerg|alert|crit)\]|^\W{0,8}[✘✗✖×❌⨯⛔🚨]",
)
_CRASH = re.compile(
    r"sanitizer: |: runtime error: |\[bug\] |a fatal error has been detected by|fatal python error|stack smashing"
    r"|double free|free\(\): |malloc\(\): |realloc\(\): |munmap_chunk|corrupted |llvm error: |internal compiler error"
    r"|submit a bug report|crash dump is|assertion .{1,200}failed|fatal error: |are asleep - deadlock|concurrent map"
    r"|\bunhandled ?(?:exception|promise|rejection)|panicked at|non-unwinding panic|trap \(core|breakpoint trap"
    r"|illegal instruction|callstack \(from|init terminating|test-unexpected|device-side assert|core dumped"
    r"|floating point exception|^regression: |did not (?:match|complete)|license header|coverage threshold"
    r"|needs? to be regenerated"
)
_WORDS = re.compile(
    r"\b(?:errors?|fatal|failed|failures?|fails|cannot|can't|could ?n[o']t|unable|not found|missing|invalid"
    r"|refused|denied|exceed(?:s|ed)?|unexpected|abort(?:ed|ing)?|dirty|mismatch|regression|broken|conflicts?|undefined"
    r"|unsupported|received|expired|not allowed|out of date|unhandled|terminated?|differ(?:s|ed|ences?)?|not equal"
    r"|already (?:exists|in use)|incompatible|overflow(?:ed)?|not up to date|rejected|drift|obsolete|outdated"
    r"|shutdown|unknown"
    r"|not (?:meet|match|reached|in gzip format)|no such|did not|above the limit|corrupt(?:ed)?|violat(?:es|ion|ed)"
    r"|mismatched|pending migrations|thresholds?|violations?|regressions?|lacks|vulnerable|deadlock|data race|lost"
    r"|dead links?|below the|too long|counterexample|killing|no candidate|installation candidate|doesn't|may not"
    r"|authentication required|incompatible\w{0,20}"
    r"|managed-environment|want|crash(?:ed)?|stack dump|has overflowed|requires|run `\w)\b"
    r"|is \d[\d.]*$|aborted at|\bexpected .{1,60} to ",
)
_QUIET = re.compile(
    r"(?<!\.)\b(?:0|no|zero) (?:errors?|fail(?:ed|ures?)|problems?|broken)"
    r"|(?:errors?|failed|failures?|undefined|timeouts?)\W{1,30}"
    r"(?:0|none)\b|\b(?:xfail|expectedfail|skip)\b"
    r"|\bpass(?:ed)?\b|\bok\b|[✓✔]|\bsuccess|\bwarn|deprecat|--?[\w-]{0,30}error|error[\w-]{0,30}\.\w|\w[-_]errors?\b(?!['\":])"
    r"|errors?[-_]\w|\b(?:re)?try(?:ing)?\b|\bignor|/error|\bwith error\b|\d%(?!.{0,60}not meet)"
    r"|\bexpected (?:by|in|failures?)\b|\bare expected\b|\bgot expected\b|\bas expected\b"
    r"|\bpending\b|\boptional\b|\bcodecov\b|\bcoveralls\b|\bcache not found|^\d\d:\d\d \+\d",
)
_DECIDES = re.compile(
    r"(?:.{0,160}[:\s(])?(?:command took >.{1,40}|timed out after \d.{0,80}|exceeded the maximum execution time.{0,80}"
    r"|received signal:? .{1,40}|no space left on device.{0,80}|out of memory(?:: kill.{0,80})?|cannot allocate memory"
    r"|segmentation fault(?: \(core dumped\))?|bus error(?: \(core dumped\))?|aborted \(core dumped\)"
    r"|[\w./-]{1,60}: command not found|the operation was cancell?ed\.?|couldn't find remote ref .{1,120}"
    r"|lost communication with the server.{0,80})\W{0,3}$"
    r"|(?:.{0,80} )?Killed(?: .{0,80})?$",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"(?i:.{0,60}\b(?:retry(?:ing)?|retried|try(?:ing)? again|attempt \d))")
NOT_REPORTED = re.compile(
    r"\s{0,20}(?:\++ |\$ |> |#|//|echo |if |exit \d|-- |[a-f0-9]{7,40} |(?:delete|create|rename) mode |[A-Z_]{2,40}="
    r"|[A-Z]{1,30}_[A-Z_]{1,40}: |HEAD is now at |fatal: No names found"
    r"|Failed to check for processor microcode upgrades)"
    r"|(?:error|warning|info) - [\d-]{10} [\d:,]{8,14} -- |ERROR: pip's dependency resolver does not"
    r"|\[\d{1,9}(?::\d{1,9})?:\d{4}/[\d.]{6,20}:[A-Z]{4,10}:\S{1,80}\(\d{1,6}\)\] "
    r"|.{1,300}\[-W[\w=+-]{1,60}\]$"
    r"|.{1,120}\|\s{1,8}\d{1,6} [-+]{1,80}$"
)
_END = re.compile(
    r"\++ exit [1-9]|.{0,160}exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]\d{0,2}(?:\W{0,3}$| completed)"
    r"|make(?:\[\d\])?: \*\*\* .{1,200} Error [1-9]|Build step .{1,80} marked build as failure|Finished: FAILURE"
)
# What make says of a recipe whose own lines say why it failed: reported where there is nothing else.
_FOLLOWS = re.compile(r"(?:\S{0,200}/)?g?make(?:\[\d{1,3}\])?: \*\*\* \[.{1,300}\] Error \d{1,3}$")
_WELL = re.compile(  # the successful verdict of a whole run: loud lines before it failed nothing
    r"(?:\[\w{1,10}\] |=+ )?(?:BUILD SUCCESS|[1-9]\d{0,6} (?:examples?|tests?|specs?|passing)\b.{0,80}(?:, 0"
    r" failures.{0,40})?$|All .{0,20}passed"
    r"|100% tests passed|Result: PASS|[Bb]uild succeeded|OK\b[ ,(]|PASS$|.{0,60} passed(?:, .{0,60})? in \d)"
)
_ILL = re.compile(r"[1-9]\d{0,6} (?:failed|failures?|errors?)")
# A clock before a tool's message: `[19:45:38] Error: …`.
_CLOCK = re.compile(r"\A\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?\]?:? {1,2}(?=\w)")
_SPOILT = 3  # subtracted for a line before such a verdict; 1 if the job is known to have failed


def loudness(text: str) -> int:
    """How much `text` sounds like the cause of a failure; 2 or more may be worth reporting."""
    text = _CLOCK.sub("", text)
    low = text[:400].lower()  # one pass here is cheaper than case-insensitive patterns
    words = len(set(_WORDS.findall(low)))
    loud = 2 * bool(_STARTS.match(text)) + 2 * bool(_STRONG.search(low)) + min(words, 3)
    crash = bool(_CRASH.search(low))
    loud += 4 * crash
    if not loud or (NOT_REPORTED.match(text) and not crash):
        return 0
    return loud - 3 * bool(not crash and _QUIET.search(low))


class _Reader:
    """Keeps the loudest lines, in bounded memory."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        self._kept: list[tuple[int, Line]] = []
        self._ends: list[int] = []
        self._well = 0

    def read(self, line: Line) -> Iterable[Finding]:
        if _END.match(line.text):
            self._ends = [*self._ends[-_KEPT:], line.number]
        if line.mark and line.mark not in ("command", "section"):  # annotations have a format of their own
            return ()
        if _WELL.match(line.text) and not _ILL.search(line.text[:300]):
            self._well = line.number
        if _AGAIN.match(line.text) and self._kept and self._kept[-1][1].number == line.number - 1:
            self._kept.pop()
        loud = loudness(line.text)
        if loud >= 1:
            self._kept.append((loud, line))
        if len(self._kept) > 2 * _KEPT:
            louder = sorted(self._kept, key=lambda kept: (kept[0], kept[1].number))[-_KEPT:]
            self._kept = sorted(louder, key=lambda kept: kept[1].number)
        return ()

    def close(self) -> Iterable[Finding]:
        """The loudest lines in log order, each text once; of equally loud ones, later ones take precedence."""
        by_text: dict[str, tuple[int, Line]] = {}
        spoilt = 1 if self._ends else _SPOILT
        enough = 1 if self._ends else _ENOUGH  # where something failed, quieter lines are reported too
        for loud, line in self._kept:
            near = any(0 < end - line.number <= _NEAR_LINES for end in self._ends)
            by_text[line.text.strip()] = (loud + _NEAR * near - spoilt * (line.number < self._well), line)
        causes = {text: kept for text, kept in by_text.items() if not _FOLLOWS.match(text)}
        if any(loud >= enough for loud, _ in causes.values()):
            by_text = causes
        best = _repeats_last(sorted(by_text.values(), key=lambda kept: (-kept[0], -kept[1].number)))[:LIMIT]
        return [_finding(loud, line) for loud, line in sorted(best, key=lambda kept: kept[1].number) if loud >= enough]


def _repeats_last(lines: list[tuple[int, Line]]) -> list[tuple[int, Line]]:
    """The lines in their order, but beyond the first few of one outline (mostly one statement's) at the end."""
    seen: Counter[str] = Counter()
    places = []
    for kept in lines:
        shape = outline(kept[1].text[:400])
        seen[shape] += 1
        places.append(seen[shape] > _ALIKE)
    return [kept for many in (False, True) for again, kept in zip(places, lines, strict=True) if again is many]


def _finding(loud: int, line: Line) -> Finding:
    return Finding(
        tool="log",
        category=Category.RUNTIME,
        message=line.text.strip(),
        log_line=line.number,
        excerpt=line.text,
        score=min(0.34, 0.14 + 0.03 * loud),
    )


class _Decisive:
    """Reads messages that end a job, unless a retry follows."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if self._open is not None and _AGAIN.match(line.text):
            self._open = None
        done = self.close() if self._open and line.number > self._open.log_line + 1 else ()
        text = line.text
        if (
            not line.mark
            and _DECIDES.match(text)
            and not NOT_REPORTED.match(text)
            and not _QUIET.search(text[:400].lower())
        ):
            done = [*done, *self.close()]
            self._open = replace(_finding(10, line), category=Category.INFRASTRUCTURE, score=0.35)
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done else ()


_HINTS = (
    "rror", "ERROR", "atal", "FATAL", "ailed", "FAIL", "ailure", "annot ", "an't ", "ould not", "ouldn't",
    "nable to", "ot found", "NOT FOUND", "issing", "MISSING", "nvalid", "efused", "enied", "imed out", "imeout",
    "TIMEOUT", "took >", "illed", "SIG", "ignal", "egmentation", "dumped", "panic", "xception", "o such",
    "o space", "ut of memory", "OOM", "exit", "returning", "dirty", "ismatch", "uthorized", "xceed", "bort",
    "nexpected", "onflict", "roken", "egression", "REGRESSION", "ndefined", "nsupported", "esolve",
    "erminate", "build stopped", "format error", "out of date", "not allowed", "Gateway", "x509", "expired",
    "lease run", "lease format", "lease commit", "E: ", "BUILD SUCCESS", " passing", "Result: PASS",
    "ild succeeded", "OK (", "examples, ", "OK, ", " is held by", "rate limit", " passed", "etrying", "try again",
    "hreshold", "iolation", " lacks ", "ulnerable", "eadlock", "data race", " lost", "ead links", "too long",
    "ounterexample", "killing", "doesn't ", "may not ", "on required", "n candidate", "NCOMPATIBLE",
    "overflow", "pending migr", "differ", "ncompatible", "drift", "rejected", "nknown ", "not in ", "not equal",
    "xpected ", "CRITICAL", "want: ", "does not meet", "tack dump", "borted at", "equires", "run `", "utdated",
    "ttempt ",

    "anitizer", "[BUG]", "smashing", "double free", "free(): ", "alloc(): ", "corrupted", "bug report", "asleep",
    "concurrent map", "nhandled", "llegal instruction", "breakpoint trap", "CallStack", "terminating", "device-side",
    "did NOT", "exceeds", "> max", "obsolete", "regenerated", "marked build", "Finished: ", "*** [",
    "not met", "not reached", "[emerg]", "[alert]", "[crit]", "✘", "✗", "✖", "×", "❌", "⨯", "⛔",
)  # fmt: skip
FORMATS = (
    Format(
        "decisive",
        (
            "ook >", "imed out after", "maximum execution", "ignal", "o space left", "ut of memory", "allocate memory",
            "dumped", "egmentation", "us error", "command not found", "cancel", "remote ref", "illed",
            "lost communication",
        ),
        _Decisive,
        rank=0,
        before=0,
    ),
    # After "decisive": equal messages are kept once, and those of "decisive" are more reliable.
    Format("loud", _HINTS, _Reader, rank=-2, before=0, runner=True),
)  # fmt: skip
