"""pyright and basedpyright: a line for each finding, more lines of its message below, the rule at the end."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_HEAD = re.compile(
    r"\s{0,4}(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{0,500}):(?P<line>\d{1,9}):(?P<column>\d{1,9}) - "
    r"(?P<level>error|warning|information): (?P<message>\S.*)$"
)
_RULE = re.compile(r"\s{1,2}\((?P<rule>report[A-Z]\w{2,60})\)\s{0,4}$")
_MORE = re.compile(r"\s{4,60}\S")
_LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING, "information": Severity.NOTE}
_IMPORTS = ("reportMissingImports", "reportMissingModuleSource")
_LINES = 20


class _Reader:
    """Reads findings; busy until the message has ended, with its rule or before an unindented line."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None
        self._lines = 0

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if self._open is not None and not _HEAD.match(line.text) and _MORE.match(line.text) and self._lines < _LINES:
            self._lines += 1
            return self._more(self._open, line)
        done = self.close()
        if match := _HEAD.match(line.text):
            self._lines = 0
            self._open = _finding(match, line)
            return (*done, *self._ruled(self._open))
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done else ()

    def _more(self, head: Finding, line: Line) -> Iterable[Finding]:
        self._open = replace(
            head,
            message=f"{head.message}\n{line.text.strip()}",
            excerpt=f"{head.excerpt}\n{line.text}",
            span=(head.log_line, line.number),
        )
        return self._ruled(self._open)

    def _ruled(self, finding: Finding) -> Iterable[Finding]:
        """The finding with its rule, if the message has reached it."""
        match = _RULE.search(finding.message[-100:])
        if match is None:
            return ()
        self._open = None
        rule = match["rule"]
        return (
            replace(
                finding,
                message=finding.message[: len(finding.message) - len(match[0])],
                code=rule,
                category=Category.IMPORT if rule in _IMPORTS else finding.category,
            ),
        )


def _finding(match: re.Match[str], line: Line) -> Finding:
    level = match["level"]
    return Finding(
        tool="pyright",
        category=Category.TYPE,
        severity=_LEVELS[level],
        message=match["message"],
        file=match["file"],
        line=number(match["line"]),
        column=number(match["column"]),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if level == "error" else 0.2,
    )


FORMAT = Format("pyright", (" - error: ", " - warning: ", " - information: "), _Reader)
