"""Cucumber of Ruby: the failing scenarios, each with the exception that stopped it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from healing.logs.format import Finding, Format, number
from healing.logs.formats.ruby._stacks import RubyFrame, blame, category, frame
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_RAISED = re.compile(r"\s{0,40}(?P<message>\S.*) \((?P<name>(?:[A-Z]\w{0,80}::){0,6}[A-Z]\w{1,80})\)$")
_STEP = re.compile(r"\s{0,40}(?P<file>\S{1,400}\.feature):(?P<line>\d{1,9}):in [`'](?P<step>.{1,300})'$")
_SCENARIO = re.compile(
    r"(?:bundle exec )?cucumber "
    r"(?:-\S{1,80} ){0,6}(?P<file>\S{1,400}\.feature):(?P<line>\d{1,9})\s{1,4}# (?P<title>\S.*)$"
)
_FRAMES, _LIMIT = 60, 2_000


@dataclass(frozen=True, slots=True)
class _Failure:
    words: str
    frames: tuple[RubyFrame, ...]
    file: str
    line: int
    first: int
    last: int


class _Reader:
    """Holds exceptions with their steps until the list of scenarios, by which they are assigned."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._words = ""
        self._first = 0
        self._frames: list[RubyFrame] = []
        self._failures: list[_Failure] = []

    @property
    def busy(self) -> bool:
        return self._words != ""

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text[:4000]
        if match := _SCENARIO.match(text):
            return (self._scenario(match, line),)
        if step := _STEP.match(text):
            if self._words and len(self._failures) < _LIMIT:
                place = (step["file"], int(step["line"]))
                self._failures.append(_Failure(self._words, tuple(self._frames), *place, self._first, line.number))
            self._words = ""
        elif self._words and (spot := frame(text)) and len(self._frames) < _FRAMES:
            self._frames.append(spot)
        elif match := _RAISED.match(text):
            self._words, self._first, self._frames = f"{match['name']}: {match['message']}", line.number, []
        elif self._words and self._frames:
            self._words = ""
        return ()

    def close(self) -> Iterable[Finding]:
        return ()

    def _scenario(self, match: re.Match[str], line: Line) -> Finding:
        row = int(match["line"])
        near = [f for f in self._failures if f.file == match["file"] and f.line >= row]
        failure = min(near, key=lambda f: f.line, default=None)
        place = blame(failure.frames, self._paths) if failure else None
        message = failure.words if failure else f"{match['title']} failed"
        return Finding(
            tool="cucumber",
            category=category(message, Category.TEST),
            message=message,
            file=place.file if place else match["file"],
            line=place.line if place else number(match["line"]),
            log_line=failure.first if failure else line.number,
            span=(failure.first, failure.last) if failure else None,
            related=tuple(f.related() for f in reversed(failure.frames)) if failure else (),
            test=match["title"].removeprefix("Scenario: "),
            excerpt=f"{message}\n{line.text}",
        )


FORMAT = Format("cucumber", (".feature:", "Error)", "Exception)", "cucumber "), _Reader, before=3)
