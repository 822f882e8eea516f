"""esbuild and tools that print its messages (Angular, tsup, Wrangler): `✘ [ERROR] message`, and the place below."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_HEAD = re.compile(
    r"\s{0,2}(?P<sign>[✘▲X]) \[(?P<level>ERROR|WARNING)\] (?:(?P<code>(?:TS|NG)-?\d{1,8}): )?(?P<message>\S.*?)"
    r"(?: \[(?:plugin )?(?P<plugin>[\w@/-]{1,60})\])?$"
)
_PLACE = re.compile(r"\s{2,6}(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9}):$")
_OLD = re.compile(
    r"\s{1,3}> (?P<file>[^\s:][^:]{0,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9}): "
    r"(?P<level>error|warning): (?P<message>.*)$"
)
_KEPT = 30


class _Reader:
    """Reads messages; each lasts until an unindented line."""

    def __init__(self, _paths: Paths) -> None:
        self._head: re.Match[str] | None = None
        self._place: re.Match[str] | None = None
        self._lines: list[Line] = []

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        head = _HEAD.match(text)
        if head or (text.strip() and not text.startswith("  ")) or len(self._lines) > _KEPT:
            done = self.close()
            self._head, self._place, self._lines = head, None, [line]
            old = _OLD.match(text)
            return (*done, _finding(old, old, [line])) if old else done
        if self._head is not None:
            self._place = self._place or _PLACE.match(text)
            self._lines.append(line)
        elif old := _OLD.match(text):
            return (_finding(old, old, [line]),)
        return ()

    def close(self) -> Iterable[Finding]:
        head, lines, self._head, self._lines = self._head, self._lines, None, []
        return (_finding(head, self._place, lines),) if head else ()


def _finding(head: re.Match[str], place: re.Match[str] | None, lines: list[Line]) -> Finding:
    groups = head.groupdict()
    error = groups["level"].upper() == "ERROR"
    last = max((line.number for line in lines if line.text.strip()), default=lines[0].number)
    return Finding(
        tool="esbuild",
        code=groups.get("code"),
        category=_category(groups["message"], groups.get("code")),
        severity=Severity.ERROR if error else Severity.WARNING,
        message=groups["message"],
        file=place["file"] if place else None,
        line=number(place["line"]) if place else None,
        column=int(place["column"]) + 1 if place else None,  # 0-based
        log_line=lines[0].number,
        span=(lines[0].number, last),
        excerpt="\n".join(line.text for line in lines).rstrip(),
        score=1.0 if error else 0.2,
    )


def _category(message: str, code: str | None) -> Category:
    if message.startswith("Could not resolve"):
        return Category.IMPORT
    if code:
        return Category.TYPE
    return Category.SYNTAX if message.startswith(("Unexpected", "Expected", "Unterminated")) else Category.COMPILE


FORMAT = Format("esbuild", ("✘ [ERROR]", "▲ [WARNING]", "X [ERROR]", ": error: ", ": warning: "), _Reader, before=0)
