"""c8, nyc and Vitest: the share of lines, branches or functions that a run has to cover and didn't.

All three print the sentence of Istanbul's checker. Whose it is, only the lines before it say: Vitest's heading, or the
command that a runner or a script echoes.
"""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_MISSED = re.compile(
    r"ERROR: (?P<message>Coverage for \w{1,20} \([\d.]{1,8}%\) does not meet (?:.{1,300} )?threshold \([\d.]{1,8}%\)"
    r"(?: for (?P<file>\S.{0,300}))?)$"
)
_VITEST = re.compile(
    r"\s{0,4}(?:RUN|DEV)\s{1,4}v\d{1,3}\.|\s{0,4}(?:%|Coverage) (?:Coverage )?(?:report|enabled).{0,20} (?:from|with) "
)
_ECHO = re.compile(r"(?:[>$+] |Run ).{0,300}?(?<![\w.-])(?P<tool>c8|nyc) |(?P<bare>c8|nyc) ")
_ECHOES = ("group", "command")
_UNKNOWN = "istanbul"


class _Reader:
    """Remembers who was started last."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        self._tool = _UNKNOWN

    def read(self, line: Line) -> Iterable[Finding]:
        """The finding of a line that reports a threshold."""
        if match := _MISSED.match(line.text):
            return (
                Finding(
                    tool=self._tool,
                    code="coverage",
                    category=Category.TEST,
                    message=match["message"],
                    file=match["file"],
                    log_line=line.number,
                    excerpt=line.text,
                ),
            )
        if _VITEST.match(line.text):
            self._tool = "vitest"
        elif (match := _ECHO.match(line.text)) and (match["tool"] or line.mark in _ECHOES):
            self._tool = match["tool"] or match["bare"]
        return ()

    def close(self) -> Iterable[Finding]:
        """Nothing: a finding is complete after its line."""
        return ()


FORMAT = Format(
    "thresholds",
    ("ERROR: Coverage for", " RUN  v", " DEV  v", "Coverage report from", "Coverage enabled with", "c8 ", "nyc "),
    _Reader,
    before=0,
    runner=True,
)
