"""Reads a log with problem matchers, line by line as GitHub's runner does, as one more format.

A log may add matchers of its own (`::add-matcher::path`, a file of the tree that CI built) and remove them
(`::remove-matcher owner=x::`).
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.matchers import MatcherError, ProblemMatcher, Read, expression, read_file, unusable_file_report
from healing.logs.paths import Paths
from healing.model import Category, NotChecked, Severity

RANK = 3
LINE_CHARS = 4_000  # longer lines are cut before matching
# Instructions times characters for one log, about a minute at worst: both log and expressions are untrusted.
MAX_WORK = 20_000_000_000
MAX_FILES = 50  # files that one log may add
_COMMAND = re.compile(
    r"(?:::|##\[)(add|remove)-matcher(?: owner=([^\]:\s]{1,100}))?(?:::|\])[ \t]{0,9}([^\s\"'`;]{0,500})"
)
_SEVERITIES = {
    "error": Severity.ERROR,
    "fatal": Severity.ERROR,
    "fatal error": Severity.ERROR,
    "warning": Severity.WARNING,
    "notice": Severity.NOTE,
    "note": Severity.NOTE,
    "info": Severity.NOTE,
}
_SCORES = {Severity.ERROR: 1.0, Severity.WARNING: 0.5, Severity.NOTE: 0.2}


@dataclass
class Matching:
    """The matchers for one log: the `configured` ones, and those that its own commands add. `read` returns files of the
    tree that CI built; `scripts` are commands of the job that ran before the log. `not_looked` has what was unusable,
    with the reason."""

    configured: tuple[ProblemMatcher, ...] = ()
    read: Read | None = None
    scripts: tuple[str, ...] = ()
    not_looked: dict[str, NotChecked] = field(default_factory=dict)

    def format(self) -> Format:
        """The format for `LogContext.formats`."""
        return Format("problem matchers", ("-matcher",), lambda paths: _Reader(self, paths), RANK)

    def too_long(self, line: Line) -> None:
        """Records that the matchers read only the lines up to `line`."""
        why = f"they read the log only as far as line {line.number}: the rest would take too long"
        self.not_looked["log"] = NotChecked(what="problem matchers", why=why, advice="Make their expressions smaller.")

    def added(self, path: str, paths: Paths) -> tuple[ProblemMatcher, ...]:
        """The matchers of a file that a command names; none for files outside the repository. Those belong to actions,
        whose tools Heal has its own formats for."""
        name = paths.repository(path)
        if self.read is None or name is None or name in self.not_looked:
            return ()
        try:
            return read_file(name, self.read)
        except MatcherError as error:
            self.not_looked[name] = unusable_file_report(name, error)
            return ()


@dataclass
class _Partly:
    """A partial match: the groups of a matcher's first patterns in the lines just before."""

    groups: dict[str, str]
    lines: tuple[Line, ...]

    def and_then(self, groups: dict[str, str], line: Line) -> "_Partly":
        return _Partly({**self.groups, **groups}, (*self.lines, line))


_NOTHING = _Partly({}, ())


class _Running:
    """One matcher's state while it reads the lines. `_held[i]`: the match of patterns 0..i in the lines just before."""

    def __init__(self, matcher: ProblemMatcher) -> None:
        self.matcher = matcher
        self._patterns = [(expression(p.regexp), p.named()) for p in matcher.pattern]
        self.work = sum(pattern.programsize for pattern, _ in self._patterns)  # instructions per character, at most
        self._held: list[_Partly | None] = [None] * (len(matcher.pattern) - 1)

    def read(self, line: Line, data: bytes) -> Finding | None:
        """The problem that this line completes; `data` is its text for RE2."""
        before: list[_Partly | None] = [_NOTHING, *self._held]
        now = [self._search(at, start, line, data) for at, start in enumerate(before)]
        done, now_held = now[-1], now[:-1]
        if done is None:
            self._held = now_held
            return None
        loop = self.matcher.pattern[-1].loop
        self._held = [None] * len(self._held)
        if loop:
            self._held[-1] = before[-1]
        return _finding(self.matcher, done, line if loop else done.lines[0])

    def _search(self, at: int, start: _Partly | None, line: Line, data: bytes) -> _Partly | None:
        if start is None:
            return None
        pattern, named = self._patterns[at]
        match = pattern.search(data)
        if match is None:
            return None
        groups = {name: (match.group(group) or b"").decode("utf-8", "replace") for name, group in named.items()}
        return start.and_then(groups, line)


def _finding(matcher: ProblemMatcher, found: _Partly, line: Line) -> Finding | None:
    """The finding of a whole match; None without a message or with an unknown severity, as on GitHub."""
    groups = found.groups
    severity = _SEVERITIES.get((groups.get("severity") or matcher.severity).strip().lower())
    message = groups["message"].strip()
    if not message or severity is None:
        return None
    placed = all(pattern.kind != "file" for pattern in matcher.pattern)
    spot = {key: number(groups.get(key)) if placed else None for key in ("line", "column", "endLine", "endColumn")}
    return Finding(
        tool=matcher.owner,
        category=Category.LINT,
        message=message,
        log_line=line.number,
        span=(line.number, found.lines[-1].number) if line is not found.lines[-1] else None,
        file=_file(groups),
        line=spot["line"],
        column=spot["column"],
        end_line=spot["endLine"],
        end_column=spot["endColumn"],
        code=groups.get("code", "").strip() or None,
        severity=severity,
        excerpt="\n".join(matched.text for matched in found.lines),
        score=_SCORES[severity],
    )


def _file(groups: dict[str, str]) -> str | None:
    file, origin = groups.get("file", "").strip(), groups.get("fromPath", "").strip()
    if file and origin and not posixpath.isabs(file):
        return posixpath.join(posixpath.dirname(origin.replace("\\", "/")), file)
    return file or None


class _Reader:
    """Runs all matchers of one log. It is busy, so it reads every line, while it has any matcher."""

    def __init__(self, matching: Matching, paths: Paths) -> None:
        self._matching = matching
        self._paths = paths
        self._files = 0
        self._work = MAX_WORK
        self._running = {matcher.owner: _Running(matcher) for matcher in matching.configured}
        for script in matching.scripts:
            for command in _COMMAND.finditer(script):
                self._run_command(command)

    @property
    def busy(self) -> bool:
        return bool(self._running)

    def read(self, line: Line) -> Iterable[Finding]:
        if "-matcher" in line.text and (command := _COMMAND.match(line.text.strip())):
            self._run_command(command)
            return ()
        return tuple(self._findings(line))

    def close(self) -> Iterable[Finding]:
        return ()

    def _findings(self, line: Line) -> Iterator[Finding]:
        data = line.text[:LINE_CHARS].encode("utf-8", "replace")
        for running in self._running.values():
            self._work -= running.work * len(data)
            if finding := running.read(line, data):
                yield finding
        if self._work < 0:
            self._matching.too_long(line)
            self._running.clear()

    def _run_command(self, command: re.Match[str]) -> None:
        action, owner, path = command.groups()
        if owner and action == "remove":
            self._running.pop(owner, None)
            return
        self._files += 1
        if not path or self._files > MAX_FILES:
            return
        for matcher in self._matching.added(path, self._paths):
            if action == "add":
                self._running[matcher.owner] = _Running(matcher)
            else:
                self._running.pop(matcher.owner, None)
