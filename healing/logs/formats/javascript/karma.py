"""Karma: `Browser (System) suite test FAILED`, with the message and the stack below."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._failures import failure
from healing.logs.lines import Line
from healing.logs.paths import Paths

_BROWSER = r"(?:Chrome|Chromium|HeadlessChrome|ChromeHeadless|Firefox|Safari|WebKit|Edge|PhantomJS|jsdom|Opera|IE)"
_HEAD = re.compile(rf"{_BROWSER}[\w .]{{0,80}}(?:\([^()]{{1,100}}\))?:? (?P<title>(?!Executed )\S.*) FAILED$")
_ERROR = re.compile(rf"{_BROWSER}[\w .]{{0,80}}(?:\([^()]{{1,100}}\))?:? ERROR$")


class _Reader:
    """Reads blocks; each ends with its indentation."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._block: FailedTestOutput | None = None
        self._test = True

    @property
    def busy(self) -> bool:
        return self._block is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        head = _HEAD.match(text)
        if head or _ERROR.match(text):
            done = self.close()
            self._block, self._test = (
                FailedTestOutput(head["title"] if head else "error outside of tests", line.number),
                bool(head),
            )
            return done
        if self._block is None:
            return ()
        if text[:1] in (" ", "\t"):
            self._block.add(line)
            return ()
        return self.close()

    def close(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        if block is None:
            return ()
        finding = failure("karma", block, self._paths, test=self._test)
        return (replace(finding, message=finding.message.removeprefix("Error: ")),)


FORMAT = Format("karma", (" FAILED", ") ERROR", ": ERROR"), _Reader, before=0)
