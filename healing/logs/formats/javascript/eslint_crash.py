"""ESLint failing to start: no configuration, an unknown plugin or rule, no files."""

from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_OOPS = "Oops! Something went wrong! :("
_VERSION = "ESLint: "
_LINES = 30


class _Reader:
    """Reads the first message after the version, which is the reason; the stack below is ESLint's own."""

    def __init__(self, _paths: Paths) -> None:
        self._lines: list[str] = []
        self._first = 0

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if not self._lines:
            if text.strip() == _OOPS:
                self._lines, self._first = [text.strip()], line.number
            return ()
        self._lines.append(text)
        meaningful = text.strip() and text.strip() != _OOPS and not text.startswith(_VERSION)
        if not meaningful and len(self._lines) < _LINES:
            return ()
        lines, self._lines = self._lines, []
        return (self._finding(text.strip(), line, lines),) if meaningful else ()

    def close(self) -> Iterable[Finding]:
        return ()

    def _finding(self, message: str, line: Line, lines: list[str]) -> Finding:
        return Finding(
            tool="eslint",
            category=Category.DEPENDENCY if "plugin" in message or "Cannot find" in message else Category.CONFIG,
            message=message,
            log_line=line.number,
            span=(self._first, line.number + 20),  # ESLint's own stack follows
            excerpt="\n".join(lines),
        )


FORMAT = Format("eslint-crash", (_OOPS,), _Reader)
