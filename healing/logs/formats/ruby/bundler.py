"""Bundler and rake: gems that can't be installed, a Gemfile that can't be read, tasks that aborted."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from healing.logs.format import Finding, Format, line_format
from healing.logs.formats.ruby._stacks import RubyFrame, blame, category, frame
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_BUNDLER = re.compile(
    r"(?:\[!\] )?(?P<message>(?:Could not (?:find (?:compatible versions|gem '|\S{1,120} in (?:any|locally"
    r"|rubygems|cached))|reach host|fetch specs)"
    r"|Bundler could not find compatible|Your Ruby version is .{1,40}, but your Gemfile|Unable to resolve dependency"
    r"|An error occurred while installing .{1,120}, and Bundler|There was an error (?:parsing|while loading) `"
    r"|The (?:dependencies|gemspecs?|list of sources|lockfile|deployment setting"
    r"|bundle currently).{0,200}(?:changed|frozen|read-only|lockfile)"
    r"|You (?:are trying to install in deployment|have (?:added to|deleted from|changed in) the Gemfile)"
    r"|Bundler::\w{1,60}(?:Error|NotFound|Required): "
    r"|Could not find \S{1,100}-\d\S{0,60} in).*)$"
)
_ABORTED = re.compile(r"(?:rake|rails|rspec|\w{2,12}) aborted!$")
_SHELL = re.compile(r"Command failed with status \(|Task .{1,80} failed|(?:ruby|bundle).{1,80} exited")
_TASKS = re.compile(r"Tasks: TOP => |\(See full trace")
_LINES = 60


def _bundler(groups: Mapping[str, Any], line: Line) -> Finding:
    gemfile = "parsing `" in groups["message"] or "while loading `" in groups["message"]
    return Finding(
        tool="bundler",
        category=Category.CONFIG if gemfile else Category.DEPENDENCY,
        message=groups["message"],
        file="Gemfile" if gemfile and "Gemfile" in groups["message"] else None,
        log_line=line.number,
        excerpt=line.text,
    )


class _Rake:
    """Reads a message, then frames, up to the tasks. A failed command has reported its own errors."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._first = 0
        self._lines: list[str] = []
        self._frames: list[RubyFrame] = []

    @property
    def busy(self) -> bool:
        return self._first > 0

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text[:4000]
        if _ABORTED.match(text):
            done = self.close()
            self._first = line.number
            return done
        if not self._first:
            return ()
        if _TASKS.match(text) or len(self._lines) >= _LINES:
            return self.close()
        self._lines.append(text)
        if place := frame(text):
            self._frames.append(place)
        return ()

    def close(self) -> Iterable[Finding]:
        first, lines, frames = self._first, self._lines, self._frames
        self._first, self._lines, self._frames = 0, [], []
        words = [text.strip() for text in lines if text.strip() and not frame(text)][:4]
        if not first or not words or _SHELL.match(words[0]):
            return ()
        place = blame(frames, self._paths)
        message = " ".join(words)
        return (
            Finding(
                tool="rake",
                category=category(message, Category.RUNTIME),
                message=message,
                file=place.file if place else None,
                line=place.line if place else None,
                log_line=first + 1,
                span=(first, first + len(lines)),
                related=tuple(f.related() for f in reversed(frames[:30])),
                excerpt="\n".join(lines),
            ),
        )


_HINTS = (
    "Could not find ", "Could not reach", "Could not fetch", "Bundler could", "Your Ruby version", "Unable to resolve",
    "and Bundler", "There was an error ", "gemspec", "The dependencies", "The list of sources", "lockfile",
    "deployment", "the Gemfile", "Bundler::",
)  # fmt: skip
FORMATS = (
    line_format("bundler", _HINTS, (_BUNDLER, _bundler)),
    Format("rake", (" aborted!",), _Rake, rank=1, before=0),
)
