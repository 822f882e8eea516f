"""ruff's refusal to start: settings that it can't read, or that ask for another version of it."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_HEAD = re.compile(r"ruff failed$")
_CAUSE = re.compile(r"\s{1,4}Cause: (?P<words>\S.*)$")
_FILE = re.compile(r"Failed to (?:load configuration|parse) `?(?P<file>[^`]{1,300}\.toml)`?$")
_SPOT = re.compile(r"TOML parse error at line (?P<line>\d{1,9}), column (?P<column>\d{1,9})$")
_GUTTER = re.compile(r"\s{0,8}\d{0,9}\s{0,3}\|")
_LINES = 20


class _Reader:
    """Reads from the head to the first empty line; the last words below it are the reason."""

    def __init__(self, _paths: Paths) -> None:
        self._lines: list[Line] = []

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def read(self, line: Line) -> Iterable[Finding]:
        if not self._lines:
            self._lines = [line] if _HEAD.match(line.text) else []
            return ()
        if not line.text.strip() or len(self._lines) > _LINES:
            return self.close()
        self._lines.append(line)
        return ()

    def close(self) -> Iterable[Finding]:
        lines, self._lines = self._lines, []
        causes = [match["words"] if (match := _CAUSE.match(line.text)) else line.text for line in lines[1:]]
        words = [text.strip() for text in causes if not _GUTTER.match(text) and not _FILE.match(text)]
        if not words:
            return ()
        file = next((match["file"] for text in causes if (match := _FILE.match(text))), None)
        spot = next((match for text in causes if (match := _SPOT.match(text))), None)
        reasons = [text for text in words if not _SPOT.match(text)] or words
        return (
            Finding(
                tool="ruff",
                code="required-version" if "Required version" in reasons[-1] else None,
                category=Category.CONFIG,
                message=": ".join(reasons),
                file=file,
                line=number(spot["line"]) if spot else None,
                column=number(spot["column"]) if spot else None,
                log_line=lines[0].number,
                span=(lines[0].number, lines[-1].number),
                excerpt="\n".join(line.text for line in lines),
            ),
        )


FORMAT = Format("ruff-settings", ("ruff failed",), _Reader, before=0)
