"""coverage.py and pytest-cov: the share of lines that a run has to reach and didn't."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_REPORT = re.compile(
    r"(?P<again>ERROR: )?(?P<message>Coverage failure: total of [\d.]{1,8} is less than fail-under=[\d.]{1,8})$"
)
_PYTEST = re.compile(
    r"(?:(?:FAIL|ERROR:) )?(?P<message>Required test coverage of [\d.]{1,8}% not reached\."
    r" Total coverage: [\d.]{1,8}%)$"
)


class _Reader:
    """pytest-cov says it twice: the first sentence counts only where the second doesn't come."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        self._first: list[Finding] = []

    def read(self, line: Line) -> Iterable[Finding]:
        """The finding of a line that is the last word on it."""
        if match := _PYTEST.match(line.text):
            self._first = []
            return (_finding(match["message"], line),)
        if match := _REPORT.match(line.text):
            finding = _finding(match["message"], line)
            if not match["again"]:
                return (finding,)
            self._first = [finding]
        return ()

    def close(self) -> Iterable[Finding]:
        """The first sentence, if the log ends before the second."""
        return self._first


def _finding(message: str, line: Line) -> Finding:
    return Finding(
        tool="coverage",
        code="fail-under",
        category=Category.TEST,
        message=message,
        log_line=line.number,
        span=(line.number, line.number),
        excerpt=line.text,
    )


FORMAT = Format("coverage", ("Coverage failure: total of", "Required test coverage of"), _Reader, before=0)
