"""Playwright's test runner: numbered failures; a test that passed on a retry is flaky and not reported."""

import re
from collections.abc import Iterable

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._failures import failure
from healing.logs.lines import Line
from healing.logs.paths import Paths

_PLACE = (
    r"(?:\[(?P<project>[^\]]{1,80})\] › )?(?P<file>\S[^›]{0,400}?):(?P<line>\d{1,9}):"
    r"(?P<column>\d{1,9})(?: › (?P<title>.*?))?"
)
_HEAD = re.compile(rf"\s{{2}}\d{{1,6}}\) {_PLACE}\s?[─=]{{0,400}}$")
_LISTED = re.compile(rf"\s{{4}}{_PLACE}\s?[─=]{{0,400}}$")
_SUMMARY = re.compile(r"\s{2}\d{1,6} (?P<kind>failed|flaky|interrupted|skipped|did not run|passed\b.*)$")
_RETRY = re.compile(r"\s{4}Retry #\d{1,3} ─{3,}")
_PREAMBLE = re.compile(r"(?:Error Context: |attachment #\d|─{5,}|Usage:|npx playwright show-trace)")


class _Reader:
    """Holds failures until the summary, since only that shows which of them were flaky."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._block: FailedTestOutput | None = None
        self._retry = False
        self._kind = ""
        self._failures: dict[tuple[str | None, int | None, int | None], Finding] = {}
        self._key: tuple[str | None, int | None, int | None] = (None, None, None)

    @property
    def busy(self) -> bool:
        return self._block is not None or bool(self._failures)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if head := _HEAD.match(text):
            self._finish()
            self._begin(head, line)
        elif summary := _SUMMARY.match(text):
            self._finish()
            self._kind = summary["kind"]
            return self.close() if self._kind.startswith("passed") else ()
        elif self._kind == "flaky" and (listed := _LISTED.match(text)):
            self._failures.pop((listed["file"], int(listed["line"]), int(listed["column"])), None)
        elif self._kind and text.strip() and not text.startswith("  "):
            return self.close()
        elif self._block is not None:
            self._inside(self._block, line)
        return ()

    def close(self) -> Iterable[Finding]:
        self._finish()
        findings, self._failures, self._kind = list(self._failures.values()), {}, ""
        return findings

    def _begin(self, head: re.Match[str], line: Line) -> None:
        title = head["title"] or head["file"]
        self._block = FailedTestOutput(title, line.number, head["file"], int(head["line"]), int(head["column"]))
        self._key = (head["file"], int(head["line"]), int(head["column"]))
        self._retry, self._kind = False, ""

    def _inside(self, block: FailedTestOutput, line: Line) -> None:
        """Adds a line to the block; those of retries, which repeat the failure, only extend its span."""
        self._retry = self._retry or bool(_RETRY.match(line.text))
        if not self._retry:
            block.add(line)
        elif line.text.strip():
            block.last = line.number

    def _finish(self) -> None:
        block, self._block = self._block, None
        if block is not None and len(self._failures) < 2000:
            finding = failure("playwright", block, self._paths, preamble=_PREAMBLE)
            self._failures.setdefault(self._key, finding)


FORMAT = Format("playwright", (") [", " › "), _Reader, before=0)
