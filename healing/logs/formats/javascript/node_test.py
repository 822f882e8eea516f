"""Node's own test runner (spec, dot): the list of failing tests at the end."""

import re
from collections.abc import Iterable

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._failures import failure
from healing.logs.lines import Line
from healing.logs.paths import Paths

_START = re.compile(r"(?:✖ failing tests:|Failed tests:)$")
_AT = re.compile(r"test at (?P<file>\S.{0,400}?):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")
_HEAD = re.compile(r"✖ (?P<title>\S.*?)(?: \([\d.]{1,20}ms\))?(?P<directive> # (?:TODO|SKIP).*)?$")
_CRASHED = "'test failed'"


class _Reader:
    """Node reports each failing test twice, under its suite and in the list; only the list, with the places, is
    read."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._listing = False
        self._crashes = False
        self._at: re.Match[str] | None = None
        self._block: FailedTestOutput | None = None

    @property
    def busy(self) -> bool:
        return self._listing

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if not self._listing:
            self._crashes = self._crashes or text.startswith("Node.js v")
            self._listing = bool(_START.match(text))
            return ()
        if at := _AT.match(text):
            done = self._finish()
            self._at = at
            return done
        if head := _HEAD.match(text):
            done = self._finish()
            if not head["directive"]:
                self._begin(head["title"], line)
            self._at = None
            return done
        if text.strip() and not text.startswith(" "):
            return self.close()
        if self._block is not None:
            self._block.add(line)
        return ()

    def close(self) -> Iterable[Finding]:
        self._listing = False
        return self._finish()

    def _begin(self, title: str, line: Line) -> None:
        self._block = FailedTestOutput(title, line.number)
        if self._at:
            self._block.file = self._at["file"]
            self._block.line, self._block.column = int(self._at["line"]), int(self._at["column"])

    def _finish(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        if block is None:
            return ()
        words = [text.strip() for text in block.lines if text.strip()]
        if words == [_CRASHED] and self._crashes:
            return ()  # the crash itself is above, with its stack
        return (failure("node-test", block, self._paths),)


FORMAT = Format("node-test", ("✖ failing tests:", "Failed tests:", "Node.js v"), _Reader, before=0)
