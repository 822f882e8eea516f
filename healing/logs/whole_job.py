"""Recognizes the whole log of a job that passed, of CI systems that mark every failure of a job in its log.

Such a log says by its first and last lines that it is whole; if no line between them is marked as a failure, the job
passed, whatever its tools printed. A part of a log says nothing.
"""

import re
from dataclasses import dataclass

from healing.logs.lines import Line

HINTS = (
    "##[", "Cleaning up orphan", "~~~ Preparing ", " pre-exit hook", "\U0001f6a8 Error: ", "user command error: ",
    "Step 1/", "Build finished", "exited with code ", ") failed",
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
    # TeamCity
    _System(
        re.compile(r"\s{0,8}Step 1/\d{1,3}: "),
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
        self._jobs: dict[int, str] = {}  # index of a system whose first line was read → the job's name, if it has one
        self._failed: set[int] = set()

    def read(self, line: Line) -> None:
        """Reads one line."""
        text = f"##[{line.mark}]{line.text}" if line.mark else line.text
        for index, system in enumerate(_SYSTEMS):
            if system.failure.match(text):
                self._failed.add(index)
                self.passed = 0
            elif index not in self._jobs:
                if first := system.first.match(text):
                    self._jobs[index] = first.groupdict().get("job", "")
            elif last := system.last.match(text):
                is_last = last.groupdict().get("job", "") == self._jobs[index]
                self.passed = line.number if is_last and index not in self._failed else self.passed
