"""Recognizes the whole log of a job that passed, of CI systems that mark every failure of a job in its log.

Such a log says by its first and last lines that it is whole; if no line between them is marked as a failure, the job
passed, whatever its tools printed. A part of a log says nothing. The system that speaks first is the log's: what tools
print later may look like the lines of another one.
"""

import re
from dataclasses import dataclass

from healing.logs.lines import Line

HINTS = (
    "##[", "Cleaning up orphan", "~~~ Preparing ", " pre-exit hook", "\U0001f6a8 Error: ", "user command error: ",
    "Finished '", "Build finished", "exited with code ", ") failed",
)  # fmt: skip


@dataclass(frozen=True)
class _System:
    """A CI system's own lines. `job` in `first` and `last`: the job's name, which has to be the same."""

    first: re.Pattern[str]
    last: re.Pattern[str]
    failure: re.Pattern[str]


_SYSTEMS = (
    # GitHub Actions. A step may print the runner's last words before it fails; the runner marks that later.
    _System(re.compile(r"##\[group\]Run "), re.compile(r"Cleaning up orphan processes$"), re.compile(r"##\[error\]")),
    # Azure Pipelines
    _System(
        re.compile(r"##\[section\]Starting: (?P<job>.{1,200})$"),
        re.compile(r"##\[section\]Finishing: (?P<job>.{1,200})$"),
        re.compile(r"##\[error\]"),
    ),
    # TeamCity: the head of a log names the build's status.
    _System(
        re.compile(r"Finished '.{8,60}' with status '?(?:NORMAL|SUCCESS)\b"),
        re.compile(r"\s{0,8}Build finished$"),
        re.compile(r"\s{0,8}(?:\[Step \d{1,3}/\d{1,3}\] )?(?:Process exited with code [1-9]|Step .{1,200} failed$)"),
    ),
    # Buildkite: the agent's headings
    _System(
        re.compile(r"~~~ Preparing (?:plugins|working directory)$"),
        re.compile(r"~~~ Running [\w ./-]{1,80} pre-exit hook$"),
        re.compile(r"(?:\U0001f6a8 Error: |user command error: )"),
    ),
)


class WholeJob:
    """Reads a log's lines with one of `HINTS`. `passed` is the line that ends a job which passed, or 0."""

    def __init__(self) -> None:
        self.passed = 0
        self._system: _System | None = None
        self._job = ""  # its name, where the system's first line has one
        self._has_failed = False

    def read(self, line: Line) -> None:
        """Reads one line."""
        text = f"##[{line.mark}]{line.text}" if line.mark else line.text
        if self._system is None:
            self._open(text)
        elif self._system.failure.match(text):
            self._has_failed, self.passed = True, 0
        elif (last := self._system.last.match(text)) and not self._has_failed:
            self.passed = line.number if last.groupdict().get("job", "") == self._job else self.passed

    def _open(self, text: str) -> None:
        """Takes the system whose first line this is. A failure before it is one all the same: the log was cut there."""
        for system in _SYSTEMS:
            if first := system.first.match(text):
                self._system, self._job = system, first.groupdict().get("job", "")
                return
            self._has_failed = self._has_failed or bool(system.failure.match(text))
