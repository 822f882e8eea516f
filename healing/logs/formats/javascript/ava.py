"""AVA: the blocks between its two rules, one for each `✘ [fail]` (before AVA 4 `✖`) above them, and exceptions outside
tests."""

import re
from collections.abc import Iterable

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._failures import failure
from healing.logs.lines import Line
from healing.logs.paths import Paths

_FAIL = re.compile(r"\s{1,8}(?:[✘✖×] \[fail\]:|✖) (?P<title>\S.*)$")
_LOOSE = re.compile(r"\s{2}(?P<what>Uncaught exception|Unhandled rejection) in (?P<file>\S.*)$")
_PLACE = re.compile(r"\s{2}(?P<file>(?:file://)?\S[^:]{0,400}):(?P<line>\d{1,9})$")
_FRAME = re.compile(r"\s{2,6}(?:\d{1,7}:| {2,8}\d{1,7}:)")
_OBJECT = re.compile(r"\s{2,8}(?P<name>\w{0,40}Error)(?: \[\w{1,60}\])? \{$")
_MESSAGE = re.compile(r"\s{4,10}message: [\"'`](?P<words>.{1,2000})[\"'`],?$")
_NEAR = 20  # lines
_RULE = "─"
_TITLES = 2000


class _Reader:
    """Reads blocks; a failed test's title on a line opens its block."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._titles: list[str] = []
        self._in_details = False
        self._block: FailedTestOutput | None = None
        self._test = True

    @property
    def busy(self) -> bool:
        return bool(self._titles) or self._block is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if loose := _LOOSE.match(text):
            done = self._finish()
            self._block, self._test = FailedTestOutput(loose["what"], line.number, file=loose["file"]), False
            return done
        if fail := _FAIL.match(text):
            if len(self._titles) < _TITLES:
                self._titles.append(fail["title"])
            return self._finish()
        if text.strip() == _RULE:
            if self._in_details:
                return self.close()
            self._in_details = True
            return self._finish()
        if self._in_details and self._is_title(text):
            done = self._finish()
            self._block, self._test = FailedTestOutput(text.strip(), line.number), True
            return done
        return self._inside(line)

    def close(self) -> Iterable[Finding]:
        self._titles, self._in_details = [], False
        return self._finish()

    def _is_title(self, text: str) -> bool:
        """Whether the line is a failed test's title; in the list above, it is followed by a short reason."""
        title = text.strip()
        return (
            text.startswith("  ")
            and len(title) > 0
            and text[2] != " "
            and any(t.startswith(title) for t in self._titles)
        )

    def _inside(self, line: Line) -> Iterable[Finding]:
        block = self._block
        if block is None:
            return ()
        if line.text.strip() and not line.text.startswith("  "):
            return self._finish()
        if (place := _PLACE.match(line.text)) and block.line is None:
            block.file, block.line = place["file"], int(place["line"])
        elif not _FRAME.match(line.text):
            block.add(line)
        return ()

    def _finish(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        if block:
            block.lines = _spelled(block.lines)
        return (failure("ava", block, self._paths, test=self._test, preamble=_PREAMBLE),) if block else ()


def _spelled(lines: list[str]) -> list[str]:
    """The lines, with an error that older AVA versions print only as an object put on one line."""
    for at, text in enumerate(lines[:_NEAR]):
        messages = (
            (_MESSAGE.match(line) for line in lines[at + 1 : at + _NEAR]) if (error := _OBJECT.match(text)) else ()
        )
        if error and (message := next(filter(None, messages), None)):
            return [*lines[:at], f"  {error['name']}: {message['words']}", "", *lines[at + 1 :]]
    return lines


_PREAMBLE = re.compile(r"(?:Error thrown in test|Rejected promise returned by test):$|\w{0,40}Error \{$|message: |\}$")

FORMAT = Format("ava", (" [fail]: ", "  ✖ ", "Uncaught exception in ", "Unhandled rejection in "), _Reader, before=0)
