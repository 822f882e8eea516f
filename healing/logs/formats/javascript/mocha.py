"""Mocha and tools with its reporter (Cypress, WebdriverIO, Hardhat): the numbered failures after `N failing`."""

import re
from collections.abc import Iterable

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._failures import failure
from healing.logs.formats.javascript._stacks import frame
from healing.logs.lines import Line
from healing.logs.paths import Paths

_FAILING = re.compile(r"\s{1,4}\d{1,6} failing$")
_HEAD = re.compile(r"\s{1,4}\d{1,6}\) (?P<title>\S.*)$")
_PART = re.compile(r"\s{5,60}(?P<title>\S.*)$")
_END = re.compile(
    r"\s{0,2}(?:\(\w[\w ]{1,30}\)$|npm (?:ERR|error)|error Command failed|.{0,3}ELIFECYCLE|={5,}|-{5,}\|)"
)
_PARTS = 12


class _Reader:
    """Reads failures. A title may take several lines, one for each suite around the test, and ends with a colon."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._failing = False
        self._titled = False
        self._parts: list[str] = []
        self._block: FailedTestOutput | None = None
        self._placed = False

    @property
    def busy(self) -> bool:
        return self._failing

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if _FAILING.match(text):
            done = self.close()
            self._failing = True
            return done
        if not self._failing:
            return ()
        if head := _HEAD.match(text):
            done = self._finish()
            self._block, self._parts, self._titled, self._placed = FailedTestOutput("", line.number), [], False, False
            self._name(head["title"])
            return done
        if self._block is None:
            return self.close() if text.strip() and not text.startswith(" ") else ()
        return self._inside(self._block, line)

    def close(self) -> Iterable[Finding]:
        self._failing = False
        return self._finish()

    def _name(self, title: str) -> None:
        self._parts.append(title.removesuffix(":"))
        self._titled = title.endswith(":") or len(self._parts) >= _PARTS

    def _inside(self, block: FailedTestOutput, line: Line) -> Iterable[Finding]:
        text = line.text
        if not self._titled and (part := _PART.match(text)):
            self._name(part["title"])
            return ()
        if _END.match(text) or (self._placed and text.strip() and not text.startswith(" ")):
            return self.close()
        block.add(line)
        self._placed = self._placed or frame(text) is not None
        return ()

    def _finish(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        if block is None or not self._titled:
            return ()
        block.title = " › ".join(self._parts)
        return (failure("mocha", block, self._paths),)


FORMAT = Format("mocha", (" failing",), _Reader, before=0)
