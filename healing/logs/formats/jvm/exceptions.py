"""Uncaught exceptions of Java, Kotlin, Scala and Groovy: the stack with its causes. Rank 1, as tests report their
own."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.formats.jvm._stacks import JvmException, blame, category, head, in_stack, parse_exception
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_THREAD = re.compile(r"(?:.{0,80}\s)?Exception in thread \"[^\"]{1,200}\" (?P<rest>\S.*)$")
_LINES = 400
_WORDS = 12  # lines of a message before its first frame


class _Reader:
    """Reads exceptions, but only those that ended a thread: programs log handled ones too."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._first = 0
        self._last = 0
        self._lines: list[str] = []
        self._stacked = False

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if match := _THREAD.match(text) if len(text) < 8000 else None:
            done = self.close()
            self._first = self._last = line.number
            self._lines, self._stacked = [match["rest"]], False
            return done
        if not self._lines:
            return ()
        stack = in_stack(text)
        cause = head(text) if not stack else None
        if len(self._lines) > _LINES or (self._stacked and not stack and not (cause and cause["cause"])):
            return self.close()
        if not self._stacked and not stack and len(self._lines) > _WORDS:
            return self.close()
        self._stacked = self._stacked or stack
        self._lines.append(text)
        self._last = line.number
        return ()

    def close(self) -> Iterable[Finding]:
        lines, self._lines = self._lines, []
        if not lines:
            return ()
        if not self._stacked:
            lines, self._last = lines[:1], self._first
        return (_finding(parse_exception(lines), self._first, self._last, lines, self._paths),)


def _finding(what: JvmException, first: int, last: int, lines: list[str], paths: Paths) -> Finding:
    place = blame(what, paths)
    return Finding(
        tool="java",
        code=what.name or None,
        category=category(what.name, Category.RUNTIME),
        message=" ← ".join([what.words, *what.causes[:3]]),
        file=place.file if place else None,
        line=place.line if place else None,
        log_line=first,
        span=(first, last),
        related=tuple(frame.related() for frame in reversed((what.frames + what.cause_frames)[:40])),
        excerpt="\n".join(lines),
    )


FORMAT = Format("java", ("Exception in thread ",), _Reader, rank=1, before=0)
