"""The last resort: lines that sound like errors, reported only if there is no other error (rank -2).

And the few messages that end a job whatever else it prints: killed, timed out, no space, no such command (rank 0).

A line's loudness is a small sum over its beginning, its words, signs that it is harmless, and whether the job ended
right after it.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.logs.wording import COMMAND, EXPECTED_EXIT, SOURCES, outline, shortened
from healing.model import Category

LIMIT = 10  # findings of one log
_KEPT = 400
_ENOUGH = 2
_NEAR_LINES = 8  # lines before the end of a command that count as near
_NEAR = 2
_ALIKE = 3  # of the same outline
_BELOW = 5  # lines below a loud line that belong to it
_MESSAGE = 600  # characters

_STARTS = re.compile(
    r"(?!-- |\.\w)\W{0,4}(?:(?i:fatal|error|failed|failure|panic|abort(?:ed)?|critical|unhandled(?: \w{1,20})?)"
    r"|(?=[A-Z ]{0,40}(?:ERR|FAIL|MISS|ASSERT|REGR|ABORT|BROKEN|INVALID|DENI|CONFLICT))[A-Z ]{3,40}(?=:)|E(?=:)"
    r"|[FE]\d{4}(?= \d\d:\d\d:\d\d)|ts=\S{1,40} .{0,80}?level=(?i:error|fatal)|\d{1,6} of \d{1,6} \w{1,20} failed"
    r"|(?i:cannot|can't|could ?n[o']t|could not|unable to|no such"
    r"|(?:unknown|unrecognized|invalid) (?:\w{1,12} )?(?:options?|arguments?|flags?|(?:sub)?command|format|directive)"
    r")(?= \S)"
    r"|[\w.-]{1,20}: E\d{4,6}(?=:)"
    r"|[A-Z]{3,12} FAILED|[\w./-]{1,30}:?(?: \w{1,12}){0,3} (?i:error|fatal|failed)(?=:)"
    r"|[a-z][\w./-]{0,29}: error(?= \w)|(?:[\w.-]{1,20}:)?[\w./-]{1,80}(?::\d{1,7}){1,2}: ERROR(?=:)"
    r"|(?i:errors|failures)(?=:$)"
    r"|(?:tar|curl|wget|ssh|gpg|unzip|cp|mv)(?=:))\b(?!\.\w)\W"
)
# A status at the end of a line (`sums prices FAILED`), or the verdict of a check (`RESULT: FAILED (minimum: 90 %)`).
_STATUS = re.compile(
    r"\S.{0,200}[ \]]FAILED(?:$| at \d| -- )"
    r"|\S.{0,200}: (?i:failed)\W{0,3}$|(?i:result|status|verdict|outcome)\W{1,3}(?:FAIL(?:ED|URE)?|BROKEN|ERROR)\b"
)
_RULER = re.compile(r"[-=*~#_]{4,200} ?| ?[-=*~#_]{4,200}$")  # around a heading
_STRONG = re.compile(
    r"segmentation fault|core dumped|out of memory|oom-?kill|no space left|\bkilled\b|\bsig(?:kill|segv|bus|abrt|ill)\b"
    r"|(?:timed|time|timing) ?out\b|took >|returning [1-9]"
    r"|exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]|permission denied|not authorized|access denied"
    r"|connection (?:refused|reset)|(?:could not|unable to) resolve|unable to locate"
    r"|\w(?:error|exception): "
    r"|terminate called|build stopped|exec format error|out[ -]of[ -]date|do(?:es)? not match\W{0,3}$|not installed"
    r"|not allowed|(?:bad|502) gateway|x509:|has expired"
    r"|please (?:run|format|commit|update|fix)\b|is held by|does not have a release file"
    r"|(?:hash|checksum|sha\d{1,3}) mismatch"
    r"|\be(?:connrefused|connreset|connaborted|noent|acces|addrinuse|notfound|mfile|pipe)\b"
    r"|expected\W{1,3}<.{0,80}> but was"
    r"|\bfailed (?:due to|because)\b|\bfailed with (?:exit )?(?:code|status):? \(?[1-9]|\baborted!$"
    r"|test failures|no matching|rate limit|\[(?:emerg|alert|crit)\]|^\W{0,8}[✘✗✖×❌⨯⛔🚨]",
)
_CRASH = re.compile(
    r"sanitizer: |: runtime error: |\[bug\] |a fatal error has been detected by|fatal python error|stack smashing"
    r"|double free|free\(\): |malloc\(\): |realloc\(\): |munmap_chunk|corrupted |llvm error: |internal compiler error"
    r"|submit a bug report|crash dump is|assertion .{1,200}failed|fatal error: |are asleep - deadlock|concurrent map"
    r"|\bunhandled ?(?:exception|promise|rejection|[\w-]{0,30}error\b)|panicked at|non-unwinding panic"
    r"|trap \(core|breakpoint trap|illegal instruction|callstack \(from|init terminating|test-unexpected"
    r"|device-side assert|core dumped"
    r"|floating point exception|^regression: |did not (?:match|complete)|license header|coverage threshold"
    r"|needs? to be regenerated|raised [a-z_]{3,40}_error : "
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
    r"|\b(?:is|are|was|were) (?:below|under|above|over|less than|lower than) \W?\d"
    r"|is \d[\d.]*$|aborted at|\bexpected .{1,60} to ",
)
_QUIET = re.compile(
    r"(?<!\.)\b(?:0|no|zero) (?:fatal |serious |critical )?(?:errors?|fail(?:ed|ures?)|problems?|broken)"
    r"|(?:errors?|failed|failures?|undefined|timeouts?)\W{1,30}"
    r"(?:0|none)\b|\b(?:xfail|expectedfail|skip)\b"
    r"|\bpass(?:ed)?\b|\bok\b|[✓✔]|\bsuccess|\bwarn|deprecat|--?[\w-]{0,30}error|error[\w-]{0,30}\.\w|\w[-_]errors?\b(?!['\":])"
    r"|errors?[-_]\w|\b(?:re)?try(?:ing)?\b|\bignor|(?:\(| - )expected\)?$|/error|\bwith error\b"
    r"|^(?!.{0,300}(?:not meet|(?:below|under|less than|lower than) \d)).{0,390}\d%"
    r"|\bexpected (?:by|in|failures?)\b|\bare expected\b|\bgot expected\b|\bas expected\b"
    r"|\bpending\b|\bdebug\b|\boptional\b|\bcodecov\b|\bcoveralls\b|\bcache not found|^\d\d:\d\d \+\d",
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
    r"|CircleCI received exit code |\[Pipeline\] |section_(?:start|end):\d"
    r"|Cleaning up project directory and file based variables"
    r"|Failed to check for processor microcode upgrades)"
    r"|(?:error|warning|info) - [\d-]{10} [\d:,]{8,14} -- |ERROR: pip's dependency resolver does not"
    r"|\[\d{1,9}(?::\d{1,9})?:\d{4}/[\d.]{6,20}:[A-Z]{4,10}:\S{1,80}\(\d{1,6}\)\] "
    r"|.{1,300}\[-W[\w=+-]{1,60}\]$"
    r"|.{1,120}\|\s{1,8}\d{1,6} [-+]{1,80}$"
)
ENDS = re.compile(
    r"\++ exit [1-9]|.{0,160}exit(?:ed)?(?: with)?(?: code| status)?:? \(?[1-9]\d{0,2}(?:\W{0,3}$| completed)"
    r"|make(?:\[\d\])?: \*\*\* .{1,200} Error [1-9]|Build step .{1,80} marked build as failure|Finished: FAILURE"
)
# What make and CI systems say of a command whose own lines say why it failed: reported where there is nothing else.
_FOLLOWS = re.compile(
    r"(?:\S{0,200}/)?g?make(?:\[\d{1,3}\])?: \*\*\* \[.{1,300}\] Error \d{1,3}$"
    r"|ERROR: (?:Job failed: exit code|script returned exit code) \d{1,3}$|Finished: FAILURE$|user command error: "
    r"|(?:\W{0,4}Error: )?The (?:plugin \w{1,20} hook|command) exited with status \d{1,3}$"
    r"|(?:\[taskcluster.{1,60}\] )?Unsuccessful task run with exit code: \d{1,3} "
    r"|(?:Exited with )?(?:exit )?code (?:exit status )?\d{1,3}$"
    r"|FAILED \((?:\w{4,20}=\d{1,6}(?:, )?){1,6}\)$|\d{1,6} tests?, \d{1,6} failures?$"
)
_WELL = re.compile(  # the successful verdict of a whole run: loud lines before it failed nothing
    r"(?:\[\w{1,10}\] |=+ )?(?:BUILD SUCCESS|[1-9]\d{0,6} (?:examples?|tests?|specs?|passing)\b.{0,80}(?:, 0"
    r" failures.{0,40})?$|All .{0,20}passed"
    r"|100% tests passed|Result: PASS|[Bb]uild succeeded|OK\b[ ,(]|PASS$|.{0,60} passed(?:, .{0,60})? in \d)"
)
_ILL = re.compile(r"[1-9]\d{0,6} (?:failed|failures?|errors?)")
_ITEM = re.compile(r"\s{0,12}(?:[-*+•>]|\d{1,4}[.)]|\(\d{1,4}\))\s{1,8}\S|\s{0,12}[\w./-]{1,200}: \S")
_SENTENCE = re.compile(r".{0,40}\w{2}")
_PLACE = re.compile(
    rf"(?:.{{0,400}}[\s(\"'])?(?P<file>[\w./@+-]{{1,200}}\.(?:{'|'.join(SOURCES)}))"
    r"(?::(?P<line>\d{1,7}):?|\", (?P<ocaml>\d{1,7}), \d{1,7}\))$"
)
_PATHS = (*SOURCES, "service", "socket", "timer", "desktop")
# A path before a message: `site.service: no such command`.
_PATH_FIRST = re.compile(
    rf"\s{{0,8}}(?:[a-z][\w-]{{1,30}}: )?(?P<file>[\w./@+-]{{1,200}}\.(?:{'|'.join(_PATHS)})): "
    r"(?P<line>)(?P<ocaml>)\S"
)
_LINE_OF = re.compile(r".{0,200} line (?P<line>\d{1,7}) of (?P<file>/?[\w./@+-]{1,200}\.\w{1,12})(?P<ocaml>):(?:\s|$)")
# A clock before a tool's message: `[19:45:38] Error: …`.
_CLOCK = re.compile(r"\A\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?Z?\]?[:|]? {1,2}(?=\w)")
_SPOILT = 3  # subtracted for a line before such a verdict; 1 if the job is known to have failed


def loudness(text: str) -> int:
    """How much `text` sounds like the cause of a failure; 2 or more may be worth reporting."""
    text = _RULER.sub("", _CLOCK.sub("", text))
    low = text[:400].lower()  # one pass here is cheaper than case-insensitive patterns
    words = len(set(_WORDS.findall(low)))
    status = _STATUS.match(text)
    loud = 2 * bool(_STARTS.match(text) or status) + 2 * bool(_STRONG.search(low)) + min(words, 3)
    crash = bool(_CRASH.search(low))
    loud += 4 * crash
    if not loud or COMMAND.match(text) or (NOT_REPORTED.match(text) and not crash):
        return 0
    return loud - 3 * bool(not crash and not status and _QUIET.search(low))


def calls_itself_an_error(text: str) -> bool:
    """Whether `text` begins as error messages do, or is of a crash; other lines only hold words that sound like it."""
    text = _RULER.sub("", _CLOCK.sub("", text))
    return bool(_STARTS.match(text) or _STATUS.match(text) or _CRASH.search(text[:400].lower()))


@dataclass(slots=True)
class _Loud:
    """A line that sounds like an error, with the lines below that belong to it."""

    loud: int
    line: Line
    below: list[str] = field(default_factory=list)

    @property
    def is_heading(self) -> bool:
        """Whether its message is on the next line: `ERRORS:`."""
        return self.line.text.rstrip().endswith(":")

    @property
    def message(self) -> str:
        """The line, and the one below where it is a heading."""
        text = self.line.text.strip()
        return shortened(f"{text} {self.below[0].strip()}", _MESSAGE) if self.is_heading and self.below else text

    def takes(self, text: str) -> bool:
        """Whether the next line belongs to this one: it is indented under it, or the message or a list under a
        heading."""
        if len(self.below) == _BELOW or not text.strip():
            return False
        if indentation(text) > indentation(self.line.text):
            return True
        return self.is_heading and bool((_ITEM if self.below else _SENTENCE).match(text))

    def finding(self, loud: int) -> Finding:
        """The finding, with the place that the line ends or begins with."""
        text = self.line.text[:_MESSAGE].rstrip()
        place = _PLACE.match(text) or _LINE_OF.match(text) or _PATH_FIRST.match(text)
        return Finding(
            tool="log",
            category=Category.RUNTIME,
            message=self.message,
            file=place["file"] if place else None,
            line=number(place["line"] or place["ocaml"]) if place else None,
            log_line=self.line.number,
            excerpt="\n".join((self.line.text, *self.below)),
            score=_score(loud),
        )


class _Reader:
    """Keeps the loudest lines, in bounded memory."""

    def __init__(self, _paths: Paths) -> None:
        self._kept: list[_Loud] = []
        self._open: _Loud | None = None
        self._ends: list[int] = []
        self._well = 0

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if (
            ENDS.match(line.text)
            and "ignor" not in line.text
            and not COMMAND.match(line.text)
            and not EXPECTED_EXIT.match(line.text)
        ):
            self._ends = [*self._ends[-_KEPT:], line.number]
        if line.mark and line.mark not in ("command", "section"):  # annotations have a format of their own
            self._open = None
            return ()
        if _WELL.match(line.text) and not _ILL.search(line.text[:300]):
            self._well = line.number
        if _AGAIN.match(line.text) and self._kept and self._kept[-1].line.number == line.number - 1:
            self._kept.pop()
        # A busy reader gets lines without a hint too: they may only belong to the one above.
        loud = loudness(line.text) if self._open is None or any(hint in line.text for hint in _HINTS) else 0
        if not self._is_message(line, loud) and loud >= 1:
            self._open = _Loud(loud, line)
            self._kept.append(self._open)
        if len(self._kept) > 2 * _KEPT:
            louder = sorted(self._kept, key=lambda kept: (kept.loud, kept.line.number))[-_KEPT:]
            self._kept = sorted(louder, key=lambda kept: kept.line.number)
        return ()

    def _is_message(self, line: Line, loud: int) -> bool:
        """Adds the line to the open one if it belongs to it; whether it is that heading's message, so nothing of its
        own."""
        heading = self._open
        if heading is None:
            return False
        is_next = loud >= 1 and line.text.rstrip().endswith(":")  # a heading of its own
        if is_next or line.mark or not heading.takes(line.text):
            blank = heading.is_heading and not heading.below and not line.text.strip()
            self._open = heading if blank and line.number == heading.line.number + 1 else None
            return False
        heading.below.append(line.text)
        first = heading.is_heading and len(heading.below) == 1
        heading.loud = max(heading.loud, loud) if first else heading.loud
        return first

    def close(self) -> Iterable[Finding]:
        """The loudest lines in log order, each text once; of equally loud ones, later ones take precedence."""
        by_text: dict[str, tuple[int, _Loud]] = {}
        spoilt = 1 if self._ends else _SPOILT
        enough = 1 if self._ends else _ENOUGH  # where something failed, quieter lines are reported too
        for kept in self._kept:
            at = kept.line.number
            near = any(0 < end - at <= _NEAR_LINES for end in self._ends)
            by_text[kept.message] = (kept.loud + _NEAR * near - spoilt * (at < self._well), kept)
        causes = {text: rated for text, rated in by_text.items() if not _FOLLOWS.match(text)}
        if any(loud >= enough for loud, _ in causes.values()):
            by_text = causes
        best = _repeats_last(sorted(by_text.values(), key=lambda rated: (-rated[0], -rated[1].line.number)))[:LIMIT]
        in_order = sorted(best, key=lambda rated: rated[1].line.number)
        return [kept.finding(loud) for loud, kept in in_order if loud >= enough]


def indentation(text: str) -> int:
    """How far the line is indented."""
    return len(text) - len(text.lstrip())


def _repeats_last(lines: list[tuple[int, _Loud]]) -> list[tuple[int, _Loud]]:
    """The lines in their order, but beyond the first few of one outline (mostly one statement's) at the end."""
    seen: Counter[str] = Counter()
    places = []
    for _, kept in lines:
        shape = outline(kept.line.text[:400])
        seen[shape] += 1
        places.append(seen[shape] > _ALIKE)
    return [rated for many in (False, True) for again, rated in zip(places, lines, strict=True) if again is many]


def _score(loud: int) -> float:
    return min(0.34, 0.14 + 0.03 * loud)


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
            self._open = replace(_Loud(10, line).finding(10), category=Category.INFRASTRUCTURE, score=0.35)
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
    "s below ", "s under ", "less than ", "lower than ",
    "overflow", "pending migr", "differ", "ncompatible", "drift", "rejected", "nknown ", "not in ", "not equal",
    "xpected ", "CRITICAL", "want", "t match", "ot installed", "ut-of-date", ": E", "does not meet", "tack dump",
    "borted at", "equires", "run `", "utdated",
    "ttempt ",

    "anitizer", "[BUG]", "smashing", "double free", "free(): ", "alloc(): ", "corrupted", "bug report", "asleep",
    "concurrent map", "nhandled", "llegal instruction", "breakpoint trap", "CallStack", "terminating", "device-side",
    "did NOT", "exceeds", "> max", "obsolete", "regenerated", "marked build", "Finished: ", "*** [",
    "not met", "not reached", "ASSERT", " but was", "ECONN", "ENOENT", "EACCES", "EADDRINUSE", "ENOTFOUND",
    "[emerg]", "[alert]", "[crit]", "✘", "✗", "✖", "×", "❌", "⨯", "⛔",
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
