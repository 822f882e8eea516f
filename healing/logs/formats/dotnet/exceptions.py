"""Uncaught exceptions of .NET: message, causes and stack. Rank 1, as tests report their own."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.formats.dotnet._stacks import blame, frame, in_stack
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_HEAD = re.compile(
    r"(?:Unhandled exception(?:\.| at)|Unhandled [Ee]xception:"
    r"|fail: .{0,200} Unhandled) (?P<message>(?P<name>[A-Z][\w.+]{2,200})(?: \(0x[\dA-Fa-f]{1,8}\))?: .*)$"
)
_CAUSE = re.compile(r"\s{0,6}---> |\s{0,6}--- ")
_LINES = 300


class _Reader:
    """Reads exceptions; each lasts from the head to the last frame."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._head: re.Match[str] | None = None
        self._first = 0
        self._lines: list[str] = []

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if self._head and (in_stack(text) or _CAUSE.match(text)) and len(self._lines) < _LINES:
            self._lines.append(text)
            return ()
        done = self.close()
        if match := _HEAD.match(text) if len(text) < 8000 else None:
            self._head, self._first, self._lines = match, line.number, [text]
        return done

    def close(self) -> Iterable[Finding]:
        head, self._head = self._head, None
        if head is None:
            return ()
        frames = [place for text in self._lines if (place := frame(text))]
        place = blame(frames, self._paths)
        return (
            Finding(
                tool="dotnet",
                code=head["name"],
                category=Category.RUNTIME,
                message=head["message"],
                file=place.file if place else None,
                line=place.line if place else None,
                log_line=self._first,
                span=(self._first, self._first + len(self._lines) - 1),
                related=tuple(f.related() for f in reversed(frames[:40])),
                excerpt="\n".join(self._lines),
            ),
        )


FORMAT = Format("dotnet", ("nhandled exception", "nhandled Exception"), _Reader, rank=1, before=0)
