"""Crashes of Go programs outside tests: panics, the runtime's fatal errors, data races."""

from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.formats.go._crashes import HINTS, Crash, CrashParser, excerpt
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category


class _Reader:
    """Reads crashes that have frames of Go code."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._parser = CrashParser()

    @property
    def busy(self) -> bool:
        return self._parser.busy

    def read(self, line: Line) -> Iterable[Finding]:
        return self._findings(self._parser.feed(line))

    def close(self) -> Iterable[Finding]:
        return self._findings(self._parser.close())

    def _findings(self, crash: Crash | None) -> Iterable[Finding]:
        if crash is None or not crash.frames or crash.test():  # a crash in a test is that test's error
            return ()
        file, line = crash.blame(self._paths) or (None, None)
        return (
            Finding(
                tool="go-panic",
                category=Category.RUNTIME,
                message=crash.message,
                file=file,
                line=line,
                related=crash.related(),
                log_line=crash.first,
                span=(crash.first, crash.last),
                excerpt=excerpt(crash.lines),
            ),
        )


FORMAT = Format("go-panic", HINTS, _Reader, rank=1)
