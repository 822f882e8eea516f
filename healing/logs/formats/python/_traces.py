"""Parses Python tracebacks line by line: frames, exception, and the frame to blame. Shared by several formats."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related

HEADING = "Traceback (most recent call last):"
CHAINS = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)

_FRAME = re.compile(r' {2}File "(?P<file>[^"]{1,1000})", line (?P<line>\d{1,9})(?P<function>, in .{1,300})?$')
_BARE = re.compile(r'\s{0,40}File "[^"]{1,1000}", line \d{1,9}$')
_EXCEPTION = re.compile(r"(?P<name>[A-Za-z_][\w.<>]{0,200})(?:: ?(?P<message>.*))?$")
_SYNTAX = re.compile(r"(?:SyntaxError|IndentationError|TabError)\b")
_FRAMES, _STRAY, _LINES = 400, 3, 300

_CATEGORIES = {
    "SyntaxError": Category.SYNTAX,
    "IndentationError": Category.INDENTATION,
    "TabError": Category.INDENTATION,
    "ImportError": Category.IMPORT,
    "ModuleNotFoundError": Category.IMPORT,
}


@dataclass(frozen=True, slots=True)
class PythonFrame:
    """One stack frame as printed; `function` is empty where the traceback points into unparsable source."""

    file: str
    line: int
    function: str = ""
    code: str = ""

    def related(self) -> Related:
        """The frame as a place that belongs to an error."""
        return Related(file=self.file, line=self.line, message=f"in {self.function}" if self.function else self.code)


@dataclass(slots=True)
class Traceback:
    """One traceback: frames outermost first, the exception's name and message; these are empty if the log ended in
    it."""

    first: int
    last: int
    frames: list[PythonFrame] = field(default_factory=list)
    exception: str = ""
    message: str = ""
    lines: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """The last line of the traceback: `NameError: name 'x' is not defined`."""
        return f"{self.exception}: {self.message}" if self.message else self.exception


class TraceParser:
    """Finds tracebacks in lines. `feed` returns each one with its last line."""

    def __init__(self) -> None:
        self._trace: Traceback | None = None
        self._prefix = ""
        self._stray = 0

    @property
    def busy(self) -> bool:
        """Whether a traceback is open."""
        return self._trace is not None

    def feed(self, line: Line) -> Traceback | None:
        """The traceback that `line` ends, if any."""
        if self._trace is None:
            self._start(line)
            return None
        if HEADING in line.text:  # interrupts the open one
            done = self.close()
            self._start(line)
            return done
        return self._inside(self._trace, line)

    def close(self) -> Traceback | None:
        """The open traceback, without its exception; None if it has no frames."""
        trace, self._trace = self._trace, None
        return trace if trace and trace.frames else None

    def _start(self, line: Line) -> None:
        at = line.text.find(HEADING)
        if at < 0 and not (line.text.lstrip().startswith('File "') and _BARE.match(line.text)):
            return
        self._trace, self._stray = Traceback(line.number, line.number, lines=[line.text]), 0
        if at < 0:
            self._prefix = " " * max(0, len(line.text) - len(line.text.lstrip()) - 2)
            self._inside(self._trace, line)
            return
        before = line.text[:at]
        if before.endswith("+ Exception Group "):
            self._prefix = before.removesuffix("+ Exception Group ") + "| "
        else:  # a logger's prefix is before the first line only
            self._prefix = before if before.strip() in ("", "|", "E", "INTERNALERROR>") else ""

    def _inside(self, trace: Traceback, line: Line) -> Traceback | None:
        text = line.text.removeprefix(self._prefix)
        trace.last = line.number
        if len(trace.lines) < _LINES and line.number != trace.first:
            trace.lines.append(line.text)
        if frame := _FRAME.match(text):
            _push(trace, PythonFrame(frame["file"], int(frame["line"]), (frame["function"] or "")[5:]))
        elif text.startswith("    ") or text.startswith("  ["):
            _source(trace, text)
        elif exception := _EXCEPTION.match(text):
            trace.exception, trace.message = exception["name"], exception["message"] or ""
            self._trace = None
            return trace if trace.frames else None
        else:
            self._stray += 1
            if self._stray > _STRAY:
                return self.close()
        return None


def _push(trace: Traceback, frame: PythonFrame) -> None:
    """Adds a frame; of a runaway recursion, drops outer frames and keeps the deepest."""
    trace.frames.append(frame)
    if len(trace.frames) > _FRAMES:
        del trace.frames[: _FRAMES // 2]


def _source(trace: Traceback, text: str) -> None:
    if trace.frames and not trace.frames[-1].code and text.strip("^~ "):
        last = trace.frames[-1]
        trace.frames[-1] = PythonFrame(last.file, last.line, last.function, text.strip()[:300])


def blame(frames: Sequence[PythonFrame], paths: Paths) -> PythonFrame | None:
    """The deepest frame inside the repository, where the error can mostly be fixed."""
    return next((frame for frame in reversed(frames) if paths.inside(frame.file)), None)


def category(exception: str, otherwise: Category) -> Category:
    """The category of an exception by its name; `otherwise` for most."""
    return _CATEGORIES.get(exception.rpartition(".")[2], otherwise)


def is_syntax(exception: str) -> bool:
    """Whether the exception means that source could not be parsed."""
    return bool(_SYNTAX.match(exception))
