"""Vitest, versions 0 to 4: failed tests, failed suites, and errors outside tests."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._failures import failure
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_FAIL = re.compile(
    r"\s{0,2}FAIL\s{1,3}(?:\|[^|]{1,80}\|\s|\S{1,40}\s{1,3}(?=\S{1,400} (?:>|\[) ))?"
    r"(?P<file>[^\s>\[]\S{0,400}(?: \S{1,100}){0,5}?)"
    r"(?: > (?P<title>\S.*?)| \[ (?P<suite>\S.*?) \])\s{0,9}$"
)
_LOOSE = re.compile(
    r"⎯{2,60} (?P<what>Unhandled Rejection|Uncaught Exception|Unhandled Error|Startup Error"
    r"|Unhandled Source Errors|Typecheck Error) ⎯{2,60}$"
)
_RULE = re.compile(r"⎯{10,200}(?:\[\d{1,6}/\d{1,6}\]⎯)?")
_PRINTED = re.compile(r"std(?:out|err) \| \S.{0,400}$")
_NONE = re.compile(r"No test (?:suite )?files found, exiting with code 1$")


class _Reader:
    """Reads blocks. Consecutive `FAIL` lines share the block below them; a rule of dashes ends it."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._blocks: list[FailedTestOutput] = []
        self._loose = False
        self._printed = 0

    @property
    def busy(self) -> bool:
        return bool(self._blocks or self._printed)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if match := (_FAIL.match(text) if "FAIL" in text else None):
            done = self.close() if self._blocks and (self._blocks[0].lines or self._loose) else ()
            if len(self._blocks) < 200:
                title = match["title"] or match["file"]
                self._blocks.append(FailedTestOutput(title, line.number, file=match["file"]))
            return done
        loose = _LOOSE.match(text)
        if loose or ("⎯" in text and _RULE.match(text.strip())):
            done = self.close()
            if loose:
                self._blocks, self._loose = [FailedTestOutput(loose["what"], line.number)], True
            return done
        for block in self._blocks:
            block.add(line)
        if self._blocks:
            return ()
        return self._read_outside(line)

    def _read_outside(self, line: Line) -> Iterable[Finding]:
        """Reads a line outside blocks. A test's output, under its name up to a blank line, becomes a finding without a
        message."""
        first = self._printed
        if not first:
            self._printed = line.number if _PRINTED.match(line.text) else 0
        elif not line.text.strip() or line.number - first > 200:
            self._printed = 0
            span = (first, line.number)
            return (
                Finding(tool="vitest", category=Category.TEST, message="", log_line=first, span=span, repeats=True),
            )
        return () if self._printed else _setup(line)

    def close(self) -> Iterable[Finding]:
        blocks, self._blocks = self._blocks, []
        loose, self._loose = self._loose, False
        findings = [failure("vitest", block, self._paths, test=not loose) for block in blocks if block.lines]
        return [replace(finding, test=None if loose else finding.test) for finding in findings]


def _setup(line: Line) -> Iterable[Finding]:
    match = _NONE.match(line.text)
    if match is None:
        return ()
    block = FailedTestOutput("no tests", line.number)
    finding = failure("vitest", block, Paths(), test=False)
    return (replace(finding, message=match[0], code=block.title, excerpt=line.text),)


FORMAT = Format(
    "vitest",
    (
        "FAIL ",
        "stdout | ",
        "stderr | ",
        "⎯⎯ U",
        "⎯⎯ S",
        "No test files found",
        "No test suite files",
    ),
    _Reader,
    before=0,
)
