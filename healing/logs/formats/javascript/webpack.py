"""webpack 4 and 5 and wrappers: `ERROR in module place`, then the message of the loader, resolver or plugin."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_HEAD = re.compile(
    r"(?P<level>ERROR|WARNING) in (?P<file>(?:\.{1,2}[\\/]|/|[A-Za-z]:[\\/]|src/"
    r"|[\w@.-]{1,80}/)[^\s!:]{1,400}|[\w.-]{1,100}\.[cm]?[jt]sx?)"
    r"(?: \(\S.{0,1000}\))?(?:[ :](?P<line>\d{1,9}):(?P<column>\d{1,9})(?:-(?:"
    r"(?P<end_line>\d{1,9}):)?(?P<end>\d{1,9}))?)?\s{0,9}$"
)
_PLACE = re.compile(r"\.{0,2}[\\/]?\S{1,400} (?P<line>\d{1,9}):(?P<column>\d{1,9})(?:-\d{1,9}(?::\d{1,9})?)?$")
_LOADER = re.compile(r"\[tsl\] ERROR in (?P<file>\S.{0,400}?)\((?P<line>\d{1,9}),(?P<column>\d{1,9})\)$")
_TS = re.compile(r"\s{0,12}(?P<code>TS\d{1,6}): (?P<message>.*)$")
_SKIP = re.compile(
    r"(?:Module build failed|Module Error|Module Warning|NonErrorEmittedError).{0,400}:$"
    r"|Error:? ?$|\[[\w-]{1,30}\]\s{0,9}$"
)
_SPOT = re.compile(r"(?P<message>.*?) \((?P<line>\d{1,9}):(?P<column>\d{1,9})\)$")
_IN = re.compile(r"(?P<name>\w{0,30}Error): (?P<file>(?:/|[A-Za-z]:[\\/])[^\s:]{1,400}): ")
_END = re.compile(
    r"webpack \d[\d.]{0,12} compiled|(?:ERROR|WARNING) in |Child |Found \d{1,6} error|npm "
    r"(?:ERR|error)|\d{1,6} errors? ha(?:s|ve)"
)
_KEPT = 60


class _Reader:
    """Reads blocks; each begins with its heading and ends with the next, or with webpack's total."""

    def __init__(self, _paths: Paths) -> None:
        self._head: re.Match[str] | None = None
        self._lines: list[Line] = []

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        head = _HEAD.match(line.text[:2000])
        if head or (self._head is not None and (_END.match(line.text) or len(self._lines) > _KEPT)):
            done = self.close()
            self._head, self._lines = head, [line]
            return done
        if self._head is not None:
            self._lines.append(line)
        return ()

    def close(self) -> Iterable[Finding]:
        head, lines, self._head, self._lines = self._head, self._lines, None, []
        return (_finding(head, lines),) if head is not None else ()


def _finding(head: re.Match[str], lines: list[Line]) -> Finding:
    body = [line.text.strip() for line in lines[1:] if line.text.strip()]
    loader = next((m for text in body[:4] if (m := _LOADER.match(text))), None)
    words = [text for text in body if not (_PLACE.match(text) or _LOADER.match(text) or _SKIP.match(text))]
    message, code = words[0] if words else head["file"], None
    line, column = number(head["line"]), _from_zero(head["column"])
    if ts := _TS.match(message):
        code, message = ts["code"], ts["message"]
        column = number(head["column"])
    if loader:
        line, column = number(loader["line"]), number(loader["column"])
    if spot := _SPOT.match(message):
        message = _IN.sub(r"\g<name>: ", spot["message"])
        line, column = number(spot["line"]), _from_zero(spot["column"])
    error = head["level"] == "ERROR"
    last = max((item.number for item in lines if item.text.strip()), default=lines[0].number)
    return Finding(
        tool="webpack",
        code=code,
        category=_category(message, code),
        severity=Severity.ERROR if error else Severity.WARNING,
        message=message,
        file=head["file"],
        line=line,
        column=column,
        log_line=lines[0].number,
        span=(lines[0].number, last),
        excerpt="\n".join(item.text for item in lines).rstrip(),
        score=1.0 if error else 0.2,
    )


def _from_zero(column: str | None) -> int | None:
    """The 1-based column for webpack's 0-based one."""
    return int(column) + 1 if column else None


def _category(message: str, code: str | None) -> Category:
    if "not found: Error: Can't resolve" in message or message.startswith(("Module not found", "Can't resolve")):
        return Category.IMPORT
    if code:
        return Category.TYPE
    syntax = "SyntaxError" in message or "Unexpected token" in message or "parse failed" in message
    return Category.SYNTAX if syntax else Category.COMPILE


FORMAT = Format("webpack", ("ERROR in ", "WARNING in "), _Reader, before=0)
