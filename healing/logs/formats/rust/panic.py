"""Panics of Rust programs outside a test's own report; those in a test run that passed are expected and dropped."""

from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.formats.rust._panics import HINT, Panic, PanicParser
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_LIMIT = 500


class _Reader:
    """Holds panics until the result of the tests around them."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._parser = PanicParser()
        self._held: list[Panic] = []

    @property
    def busy(self) -> bool:
        return self._parser.busy

    def read(self, line: Line) -> Iterable[Finding]:
        self._keep(self._parser.feed(line))
        if line.text.startswith("test result: ok"):
            self._held = []
        return ()

    def close(self) -> Iterable[Finding]:
        self._keep(self._parser.close())
        return tuple(self._finding(panic) for panic in self._held)

    def _keep(self, panic: Panic | None) -> None:
        if panic and len(self._held) < _LIMIT:
            self._held.append(panic)

    def _finding(self, panic: Panic) -> Finding:
        file, line, column = panic.blame(self._paths)
        return Finding(
            tool="rust-panic",
            category=Category.RUNTIME,
            message=panic.message,
            file=file,
            line=line,
            column=column,
            actual=panic.side("left"),
            expected=panic.side("right"),
            related=panic.related(),
            log_line=panic.first,
            span=(panic.first, panic.last),
            excerpt=f"thread '{panic.thread}' panicked: " + "\n".join(panic.words),
        )


FORMAT = Format("rust-panic", (HINT, "test result: ok"), _Reader, rank=1)
