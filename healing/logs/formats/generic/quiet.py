"""The lines just before a command failed, for logs without any other error (rank -3)."""

import re
from collections import deque
from collections.abc import Iterable, Sequence

from healing.logs.format import Finding, Format
from healing.logs.formats.generic.loud import ENDS, NOT_REPORTED
from healing.logs.lines import Line, marked_line
from healing.logs.paths import Paths
from healing.model import Category

# Printed by CI systems about a command that failed.
COMMAND_FAILED = re.compile(
    r"Process completed with exit code [1-9]|ERROR: Job failed|ERROR: script returned exit code|Finished: FAILURE"
    r"|Build step .{1,80} marked build as failure|The command .{1,200} exited with [1-9]|Exited with code"
    r"|(?:\[taskcluster.{1,60}\] )?Unsuccessful task run|.{0,40}The (?:command exited with|operation was canceled)"
    r"|\w{1,20} exited with code '?[1-9]"
)
# The same, or by tools that run commands; not by the command itself.
_ENDED = re.compile(
    rf"{COMMAND_FAILED.pattern}|make(?:\[\d\])?: \*\*\* .{{1,200}} Error [1-9]"
    r"|Command exited with|error Command failed with exit code [1-9]|\++ exit [1-9]"
)
_TRACED = re.compile(r"\++ \S")  # a command that a shell prints before it runs it (`set -x`)
RANK = -3
_BEFORE = 8
_OF_EACH = 2
_LIMIT = 4
_SCORE = 0.15  # lower than that of any loud line


class _Reader:
    """Keeps the last lines of the last failed commands."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        self._before: deque[Line] = deque(maxlen=_OF_EACH)
        self._traced: Line | None = None  # the last line, if it is a traced command: it printed nothing
        self._last: deque[tuple[Line, int]] = deque(maxlen=_LIMIT)

    def read(self, line: Line) -> Iterable[Finding]:
        if _ENDED.match(line.text):
            lines = [*self._before, *([self._traced] if self._traced else [])]
            near = [before for before in lines if line.number - before.number <= _BEFORE]
            self._last.extend((before, line.number) for before in near)
            self._before.clear()
        elif line.mark in ("group", "endgroup"):  # a step's heading isn't its command's output
            self._before.clear()
        elif line.text.strip() and not line.mark and not NOT_REPORTED.match(line.text):
            self._before.append(line)
            self._traced = None
        elif _TRACED.match(line.text):
            self._traced = line
        return ()

    def close(self) -> Iterable[Finding]:
        return [
            Finding(
                tool="log",
                category=Category.RUNTIME,
                message=line.text.strip(),
                log_line=line.number,
                span=(line.number, end),
                excerpt=line.text,
                score=_SCORE,
            )
            for line, end in self._last
        ]


def only_reports_an_end(text: str) -> bool:
    """Whether the text is one line that says how a command ended, and nothing of why."""
    return "\n" not in text and bool(_ENDED.match(text) or ENDS.match(text))


def last_words(lines: Sequence[Line]) -> Iterable[Finding]:
    """The last of `lines`, if a command that failed ended with them."""
    reader = _Reader(Paths())
    for line in (*lines, marked_line(lines[-1].number + 1, "Exited with code")):
        reader.read(line)
    return reader.close()


FORMAT = Format(
    "quiet",
    (
        "xit code",
        "xit status",
        "exit ",
        "*** [",
        "marked build",
        "Finished: FAIL",
        "Job failed",
        "task run",
        "xited with",
    ),
    _Reader,
    rank=RANK,
    before=_BEFORE,
    runner=True,
)
