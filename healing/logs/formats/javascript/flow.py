"""Flow: a heading with the place, the message below (up to the first code frame), and the places it refers to."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_HEAD = re.compile(
    r"(?P<level>Error|Warning) [-┈]{3,400} (?P<file>\S[^:]{0,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9})$"
)
_PLACE = re.compile(r"\s{2,6}(?P<file>\S[^:]{0,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")
_CODE = re.compile(r"\[(?P<code>[a-z][a-z-]{2,60})\]\s{0,9}$")
_KEPT, _NOTES = 80, 20


class _Reader:
    """Reads errors; each lasts from heading to heading."""

    def __init__(self, _paths: Paths) -> None:
        self._head: re.Match[str] | None = None
        self._lines: list[Line] = []

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        head = _HEAD.match(line.text)
        if head or (self._head is not None and line.text.startswith(("Found ", "##["))):
            done = self.close()
            self._head, self._lines = head, [line]
            return done
        if self._head is not None and len(self._lines) < _KEPT:
            self._lines.append(line)
        return ()

    def close(self) -> Iterable[Finding]:
        head, lines, self._head = self._head, self._lines, None
        return (_finding(head, lines),) if head is not None else ()


def _finding(head: re.Match[str], lines: list[Line]) -> Finding:
    words: list[str] = []
    for line in lines[1:]:
        if _PLACE.match(line.text) or (words and not line.text.strip()):
            break
        if line.text.strip():
            words.append(line.text.strip())
    message = " ".join(words)
    code = _CODE.search(message)
    places = [match for line in lines[1:] if (match := _PLACE.match(line.text))]
    error = head["level"] == "Error"
    return Finding(
        tool="flow",
        code=code["code"] if code else None,
        category=Category.IMPORT if code and code["code"] == "cannot-resolve-module" else Category.TYPE,
        severity=Severity.ERROR if error else Severity.WARNING,
        message=(message[: code.start()] if code else message).strip() or "type error",
        file=head["file"],
        line=number(head["line"]),
        column=number(head["column"]),
        log_line=lines[0].number,
        span=(lines[0].number, max(line.number for line in lines if line.text.strip())),
        related=tuple(
            Related(file=place["file"], line=number(place["line"]), column=number(place["column"]))
            for place in places[1:_NOTES]
        ),
        excerpt="\n".join(line.text for line in lines).rstrip(),
        score=1.0 if error else 0.2,
    )


FORMAT = Format("flow", ("Error ---", "Error ┈┈┈", "Warning ---", "Warning ┈┈┈"), _Reader, before=0)
