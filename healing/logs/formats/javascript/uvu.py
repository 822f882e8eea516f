"""uvu: a block for each failed test, from its `FAIL` line to the next one or the totals."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._failures import failure
from healing.logs.lines import Line
from healing.logs.paths import Paths

_FAIL = re.compile(r"\s{2,4}FAIL\s{1,3}(?:(?P<suite>[^\s\"].{0,300}?)\s{1,3})?\"(?P<title>.{1,500})\"\s*$")
_OPERATOR = re.compile(r"\s{2}\(\w{1,20}(?:\.\w{1,20})?\)$")  # of the assertion, behind its message
_SIDE = re.compile(r"\s{8}(?:\+\+|--)(?P<value>.{0,500}\S)\s{4}\((?P<side>Expected|Actual)\)$")


class _Reader:
    """Reads the blocks; only a suite's name is not quoted."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._block: FailedTestOutput | None = None

    @property
    def busy(self) -> bool:
        return self._block is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if fail := _FAIL.match(line.text):
            done = self.close()
            title = " › ".join(filter(None, (fail["suite"], fail["title"])))
            self._block = FailedTestOutput(title, line.number)
            return done
        if self._block is None:
            return ()
        if line.text.strip() and not line.text.startswith("    "):
            return self.close()
        self._block.add(line)
        return ()

    def close(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        if block is None:
            return ()
        sides = {side["side"]: side["value"] for text in block.lines if (side := _SIDE.match(text.rstrip()))}
        block.lines = [_OPERATOR.sub("", text) for text in block.lines if not _SIDE.match(text.rstrip())]
        finding = failure("uvu", block, self._paths)
        return (replace(finding, expected=sides["Expected"], actual=sides["Actual"]) if len(sides) > 1 else finding,)


FORMAT = Format("uvu", (' FAIL "', ' FAIL  "', " FAIL  "), _Reader, before=0)
