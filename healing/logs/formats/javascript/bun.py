"""Bun: `(fail)` lines of its test runner with the output above each, and errors of run and build."""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._failures import failure
from healing.logs.formats.javascript._stacks import CODE_FRAME, frame
from healing.logs.lines import Line
from healing.logs.paths import Paths

_FAIL = re.compile(r"(?:\(fail\)|✗) (?P<title>\S.*?)(?: \[[\d.]{1,12}ms\])?$")
_PASS = re.compile(r"(?:\((?:pass|skip|todo)\)|[✓»✎]) \S.*$")
_FILE = re.compile(r"(?P<file>\S{1,300}\.(?:test|spec)\.[cm]?[jt]sx?|\S{1,300}_(?:test|spec)\.[cm]?[jt]sx?):$")
_ERROR = re.compile(r"(?:error|\w{0,60}Error): \S.*$|error$")
_BLOCKED = 80


class _Reader:
    """Collects the lines before a test's name, to which they belong."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._testing = False
        self._file: str | None = None
        self._above: deque[Line] = deque(maxlen=_BLOCKED)

    @property
    def busy(self) -> bool:
        return self._testing

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if text.startswith("bun test v"):
            self._testing = True
            return ()
        if not self._testing:
            return ()
        if file := _FILE.match(text):
            self._file = file["file"]
            self._above.clear()
        elif _PASS.match(text):
            self._above.clear()
        elif fail := _FAIL.match(text):
            return (self._failed(fail["title"], line),)
        elif text.startswith("Ran ") or re.match(r" \d+ (?:pass|fail)$", text):
            self._testing = not text.startswith("Ran ")
            self._above.clear()
        else:
            self._above.append(line)
        return ()

    def close(self) -> Iterable[Finding]:
        return ()

    def _failed(self, title: str, line: Line) -> Finding:
        above = list(self._above)
        self._above.clear()
        start = next((at for at, item in enumerate(above) if _ERROR.match(item.text)), None)
        first = above[start].number if start is not None else line.number
        block = FailedTestOutput(title, first, file=self._file)
        for item in above[start:] if start is not None else ():
            if frame(item.text) or not CODE_FRAME.match(item.text):
                block.add(item)
        block.last = line.number
        finding = failure("bun", block, self._paths)
        return replace(finding, message=finding.message.removeprefix("error: "))


FORMAT = Format("bun", ("bun test v",), _Reader, before=0)
