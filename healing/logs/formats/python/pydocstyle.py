"""pydocstyle: the place on one line, the message on the next."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_WHERE = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^:]{1,400}\.pyi?):(?P<line>\d{1,9})"
    r" (?:at module level|in (?:public|private|protected|nested)[\w ]{1,60}(?:`[^`]{0,200}`)?):$"
)
_WHAT = re.compile(r"\s{2,12}(?P<code>D\d{3}): (?P<message>\S.*)$")


class _Reader:
    """Reads a place and its message; busy for the line after a place."""

    def __init__(self, _paths: Paths) -> None:
        self._where: re.Match[str] | None = None

    @property
    def busy(self) -> bool:
        return self._where is not None

    def read(self, line: Line) -> Iterable[Finding]:
        where, self._where = self._where, _WHERE.match(line.text)
        if where is None or not (error := _WHAT.match(line.text)):
            return ()
        at = line.number - 1
        return (
            Finding(
                tool="pydocstyle",
                code=error["code"],
                category=Category.LINT,
                message=error["message"],
                file=where["file"],
                line=number(where["line"]),
                log_line=at,
                span=(at, line.number),
                excerpt=f"{where.string}\n{line.text}",
            ),
        )

    def close(self) -> Iterable[Finding]:
        return ()


FORMAT = Format(
    "pydocstyle", (" at module level:", " in public ", " in private ", " in protected ", " in nested "), _Reader
)
