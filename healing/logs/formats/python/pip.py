"""pip: requirements that can't be met, and builds that fail."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_ERROR = re.compile(r"\s{0,8}ERROR: (?P<message>\S.*)$")
_REQUIREMENT = re.compile(
    r"(?:Could not find a version that satisfies the requirement|No matching distribution found for) (?P<name>\S+)"
)
_OURS = re.compile(
    r"Could not find a version|No matching distribution|Cannot install |Invalid requirement|Failed building wheel"
    r"|Could not open requirements file|Failed to build |Package '[^']{1,200}' requires a different Python"
    r"|THESE PACKAGES DO NOT MATCH|ResolutionImpossible|Could not install packages|Exception:|.{1,80} has requirement "
    r"|.{1,200} is not a (?:valid|supported) (?:wheel|editable)|In --require-hashes mode|Hashes are required"
    r"|Could not build wheels|Double requirement given"
)
_FAILED = re.compile(r"\s{0,8}(?:[×x] )(?P<message>.{1,200} did not run successfully\.?)$")


class _Reader:
    """Reads errors; two lines about the same requirement are one error."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        self._last = ""

    def read(self, line: Line) -> Iterable[Finding]:
        if match := _FAILED.match(line.text):
            return (_finding(match["message"], line, 0.8),)
        match = _ERROR.match(line.text)
        if match is None or not _OURS.match(match["message"]):
            return ()
        if (name := _REQUIREMENT.match(match["message"])) and name["name"] == self._last:
            return ()
        self._last = name["name"] if name else ""
        return (_finding(match["message"], line, 1.0),)

    def close(self) -> Iterable[Finding]:
        return ()


def _finding(message: str, line: Line, score: float) -> Finding:
    return Finding(
        tool="pip",
        category=Category.DEPENDENCY,
        message=message,
        log_line=line.number,
        excerpt=line.text,
        score=score,
    )


FORMAT = Format("pip", ("ERROR: ", "did not run successfully"), _Reader, before=0)
