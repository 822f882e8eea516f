"""The lines just before a command failed, for logs without any other error (rank -3)."""

import re
from collections import deque
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.formats.generic.loud import NOT_REPORTED
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

# Printed by CI systems and by tools that run commands, not by the command itself.
_ENDED = re.compile(
    r"Process completed with exit code [1-9]|ERROR: Job failed|make(?:\[\d\])?: \*\*\* .{1,200} Error [1-9]"
    r"|Build step .{1,80} marked build as failure|Finished: FAILURE|The command .{1,200} exited with [1-9]"
    r"|Exited with code|Command exited with|error Command failed with exit code [1-9]|\++ exit [1-9]"
    r"|\[taskcluster.{1,60}\] Unsuccessful task run"
)
_BEFORE = 3
_OF_EACH = 2
_LIMIT = 4
_SCORE = 0.15  # lower than that of any loud line


class _Reader:
    """Keeps the last lines of the last failed commands."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        self._before: deque[Line] = deque(maxlen=_OF_EACH)
        self._last: deque[tuple[Line, int]] = deque(maxlen=_LIMIT)

    def read(self, line: Line) -> Iterable[Finding]:
        if _ENDED.match(line.text):
            near = [before for before in self._before if line.number - before.number <= _BEFORE]
            self._last.extend((before, line.number) for before in near)
            self._before.clear()
        elif line.mark in ("group", "endgroup"):  # a step's heading isn't its command's output
            self._before.clear()
        elif line.text.strip() and not line.mark and not NOT_REPORTED.match(line.text):
            self._before.append(line)
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


FORMAT = Format(
    "quiet",
    (
        "xit code",
        "xit status",
        "exit ",
        "exited with",
        "*** [",
        "marked build",
        "Finished: FAIL",
        "Job failed",
        "task run",
    ),
    _Reader,
    rank=-3,
    before=_BEFORE,
    runner=True,
)
