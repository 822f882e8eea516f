"""mkdocs build --strict: the warnings for which it gives up."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_WARNING = re.compile(r"WARNING {1,4}-  (?P<message>\S.*)$")
_DOCUMENT = re.compile(r"Doc file '(?P<file>[^'\n]{1,300})' contains")
_NAV = "included in the 'nav' configuration"
_GAVE_UP = "Aborted with "
_KEPT = 1_000  # warnings of one build


class _Reader:
    """Keeps warnings until the build gives up because of them; one that goes on has no errors."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        self._kept: list[Finding] = []

    def read(self, line: Line) -> Iterable[Finding]:
        """All warnings, with the line that says that the build gave up."""
        if line.text.startswith(_GAVE_UP) and "in strict mode!" in line.text[:80]:
            kept, self._kept = self._kept, []
            return kept
        if (match := _WARNING.match(line.text)) and len(self._kept) < _KEPT:
            self._kept.append(_finding(match["message"], line))
        return ()

    def close(self) -> Iterable[Finding]:
        """Nothing: the build did not give up."""
        return ()


def _finding(message: str, line: Line) -> Finding:
    document = _DOCUMENT.match(message)
    return Finding(
        tool="mkdocs",
        category=Category.LINT,
        message=message,
        file=f"docs/{document['file']}" if document else "mkdocs.yml" if _NAV in message else None,
        log_line=line.number,
        excerpt=line.text,
    )


FORMAT = Format("mkdocs", ("WARNING ", _GAVE_UP), _Reader, before=0)
