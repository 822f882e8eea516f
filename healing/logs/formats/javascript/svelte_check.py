"""svelte-check and astro check: the human-readable form (place, then `Error: message (tool)` below) and the machine
one."""

import json
import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_PLACE = re.compile(
    r"(?P<file>\S[^:]{0,400}\.(?:svelte|astro|[cm]?[jt]sx?|d\.ts)):(?P<line>\d{1,9}):(?P<column>\d{1,9})$"
)
_WORDS = re.compile(r"(?P<level>Error|Warn|Warning|Hint): (?P<message>\S.*?)\s*(?:\((?P<code>[\w-]{1,20})\))?\s{0,9}$")
_MACHINE = re.compile(
    r"\d{9,16} (?P<level>ERROR|WARNING) \"(?P<file>[^\"]{1,400})\" (?P<line>\d{1,9}):"
    r"(?P<column>\d{1,9}) (?P<message>\".*\")$"
)


class _Reader:
    """Holds a place that is alone on a line until the message on the next."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        self._place: re.Match[str] | None = None
        self._at = 0

    def read(self, line: Line) -> Iterable[Finding]:
        place, self._place = self._place, _PLACE.match(line.text)
        if machine := _MACHINE.match(line.text):
            return (_finding(machine, machine, _unquoted(machine["message"]), None, line),)
        words = _WORDS.match(line.text) if place and self._at == line.number - 1 else None
        self._at = line.number
        return (_finding(place, words, words["message"], words["code"], line),) if place and words else ()

    def close(self) -> Iterable[Finding]:
        return ()


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text)).partition("\n")[0]
    except ValueError:
        return text.strip('"')


def _finding(place: re.Match[str], words: re.Match[str], message: str, code: str | None, line: Line) -> Finding:
    error = words["level"].lower() == "error"
    return Finding(
        tool="svelte-check",
        code=code,
        category=Category.IMPORT
        if message.startswith("Cannot find module")
        else Category.TYPE
        if error
        else Category.LINT,
        severity=Severity.ERROR if error else Severity.WARNING,
        message=message,
        file=place["file"],
        line=number(place["line"]),
        column=number(place["column"]),
        log_line=line.number if place is words else line.number - 1,
        span=None if place is words else (line.number - 1, line.number),
        excerpt=line.text if place is words else f"{place.string}\n{line.text}",
        score=1.0 if error else 0.2,
    )


FORMAT = Format("svelte-check", ("Error: ", "Warn: ", "Warning: ", ' ERROR "', ' WARNING "'), _Reader)
