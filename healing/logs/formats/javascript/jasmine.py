"""Jasmine: the numbered failures, each with messages and stacks."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._failures import failure
from healing.logs.lines import Line
from healing.logs.paths import Paths

_HEAD = re.compile(r"\d{1,6}\) (?P<title>\S.*)$")
_LABEL = re.compile(r"\s{2}(?:Message|Stack|Suite error):$")
_EXPECTED = re.compile(r"Expected (?P<actual>\S.{0,300}?) (?:not )?to (?:be|equal) (?P<expected>\S.{0,300}?)\.$")


class _Reader:
    """Reads from `Failures:` on; a block without `Message:` below its title is another runner's."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._failures = False
        self._labelled = False
        self._block: FailedTestOutput | None = None

    @property
    def busy(self) -> bool:
        return self._failures

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if not self._failures:
            self._failures = text.rstrip() in ("Failures:", "Suite error:")
            return ()
        if head := _HEAD.match(text):
            done = self._finish()
            self._block, self._labelled = FailedTestOutput(head["title"], line.number), False
            return done
        if _LABEL.match(text):
            self._labelled = True
            return ()
        if text.strip() and not text.startswith(" "):
            return self.close()
        if self._block is not None:
            self._block.add(line)
        return ()

    def close(self) -> Iterable[Finding]:
        self._failures = False
        return self._finish()

    def _finish(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        if block is None or not self._labelled:
            return ()
        finding = failure("jasmine", block, self._paths)
        if match := _EXPECTED.match(finding.message):
            finding = replace(finding, expected=match["expected"], actual=match["actual"])
        return (finding,)


FORMAT = Format("jasmine", ("Failures:", "Suite error:"), _Reader, before=0)
