"""PHP itself: errors while parsing and running, and uncaught exceptions with their stack."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_LEVEL = (
    r"(?P<level>(?:Recoverable |Core |Compile )?(?:Parse|Fatal|Syntax) error|Warning|Notice|Deprecated"
    r"|Strict Standards)"
)
_PATH = r"(?P<file>(?:[A-Za-z]:[\\/])?(?:(?! on line )[^:\n]){1,400})"
_HEAD = re.compile(
    rf"(?:.{{0,120}}(?P<php>PHP )|\[exec\] )?{_LEVEL}:\s{{1,4}}(?P<message>\S.*?)"
    rf"(?: in {_PATH}(?: on line (?P<line>\d{{1,9}})|:(?P<at>\d{{1,9}})))?$"
)
_THROWN = re.compile(r"\s{0,4}thrown in (?P<file>.{1,400}) on line (?P<line>\d{1,9})$")
_NEXT = re.compile(r"Next (?P<message>\S.*) in (?P<file>(?:[A-Za-z]:)?[^:\n]{1,400}):(?P<line>\d{1,9})$")
_FRAME = re.compile(r"(?:\[exec\] )?#\d{1,4} (?P<file>[^(\n]{1,400})\((?P<line>\d{1,9})\): (?P<call>.{1,300})$")
_TRACE = re.compile(r"(?:PHP )?(?:\[exec\] )?(?:Stack trace:|#\d{1,4} |\s{0,4}thrown in |PHP\s{1,4}\d{1,3}\. )|$")
_ELSEWHERE = re.compile(r"(?:\[exec\] )?\s{0,4}in (?P<file>\S.{0,400}) on line (?P<line>\d{1,9})$")
_LINES = 120


class _Reader:
    """Reads errors; a fatal one may be followed by a stack, and message and place may be on two lines."""

    def __init__(self, _paths: Paths) -> None:
        self._paths = _paths
        self._head: re.Match[str] | None = None
        self._first = 0
        self._lines: list[str] = []

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        head = _HEAD.match(text) if len(text) < 8000 else None
        if self._head is not None and head is None and self._joins(text):
            return ()
        done = self.close()
        if head and (head["php"] or head["file"] or "[exec]" in text):
            if head["level"].endswith("error"):
                self._head, self._first, self._lines = head, line.number, [text]
            else:
                return (*done, _warning(head, line))
        return done

    def close(self) -> Iterable[Finding]:
        head, self._head = self._head, None
        return (_error(head, self._first, self._lines, self._paths),) if head else ()

    def _joins(self, text: str) -> bool:
        uncaught = self._head is not None and (self._head["message"].startswith("Uncaught ") or not self._head["file"])
        if not uncaught or len(self._lines) >= _LINES or self._lines[-1].lstrip().startswith("thrown in "):
            return False
        if _TRACE.match(text) or _NEXT.match(text) or _ELSEWHERE.match(text):
            self._lines.append(text)
            return True
        return False


def _warning(head: re.Match[str], line: Line) -> Finding:
    return Finding(
        tool="php",
        code=head["level"],
        category=Category.RUNTIME,
        severity=Severity.WARNING,
        message=head["message"],
        file=head["file"],
        line=int(head["line"]) if head["line"] else None,
        log_line=line.number,
        excerpt=line.text,
        score=0.3,
    )


def _error(head: re.Match[str], first: int, lines: list[str], paths: Paths) -> Finding:
    """The finding of a chain of exceptions, of which the first is the cause of the next ones; frames are innermost
    first."""
    frames = [m for text in lines[1:] if (m := _FRAME.match(text))]
    chain = [m for text in lines[1:] if (m := _NEXT.match(text))]
    spots = [(m["file"], m["line"]) for text in lines[1:] if (m := _THROWN.match(text) or _ELSEWHERE.match(text))]
    own = [(head["file"], head["line"] or head["at"])] if head["file"] else []
    places = [*own, *((m["file"], m["line"]) for m in chain), *spots, *((m["file"], m["line"]) for m in frames)]
    place = next((p for p in places if p[1] and paths.inside(p[0])), places[0] if places else (None, None))
    message = head["message"].removeprefix("Uncaught ")
    return Finding(
        tool="php",
        code=head["level"],
        category=_category(head["level"], head["message"]),
        message=message,
        file=place[0],
        line=int(place[1]) if place[1] else None,
        log_line=first,
        span=(first, first + len(lines) - 1),
        related=tuple(Related(file=m["file"], line=int(m["line"]), message=m["call"]) for m in reversed(frames[:40])),
        excerpt="\n".join(lines),
    )


def _category(level: str, message: str) -> Category:
    if level.startswith(("Parse", "Syntax")) or "ParseError" in message[:60]:
        return Category.SYNTAX
    if re.search(r"Failed opening required|Class [\"'].{1,200}[\"'] not found", message):
        return Category.IMPORT
    return Category.RUNTIME


_HINTS = (
    "PHP Parse error", "PHP Fatal error", "PHP Warning", "PHP Notice", "PHP Deprecated", "PHP Recoverable",
    "Parse error: ", "Fatal error: ", "Warning: ", "Notice: ", "Deprecated: ", "PHP Core", "PHP Strict",
)  # fmt: skip
FORMAT = Format("php", _HINTS, _Reader, before=0, rank=1)
