"""The steps of a job log: `##[group]Run …` sections, how they ended, and the commit that was checked out."""

import re
from dataclasses import dataclass

from healing.logs.lines import Line
from healing.logs.verdict import HINTS as VERDICTS
from healing.logs.verdict import EndingVerdict
from healing.logs.whole_job import HINTS as WHOLE_JOBS
from healing.logs.whole_job import WholeJob

HINTS = ("Post job cleanup", "HEAD is now at ", ":refs/remotes/pull/", *WHOLE_JOBS, *VERDICTS)
_LIMIT = 500

_EXIT = re.compile(r"Process completed with exit code (-?\d{1,10})")
_AFTER = "Post job cleanup."  # what follows belongs to no command of the job
_LAST = "Cleaning up orphan processes"
_FETCHED = re.compile(r"\+([0-9a-f]{40}):refs/remotes/pull/\d+/merge\b")
_HEAD = re.compile(r"HEAD is now at ([0-9a-f]{7,40}) Merge [0-9a-f]{7,64} into [0-9a-f]{7,64}")


@dataclass(frozen=True)
class Section:
    """One `Run …` of a job: its name, its first and last log line (1-based), its exit code if the runner printed
    one."""

    name: str
    first: int
    last: int
    exit_code: int | None = None


class Sections:
    """Reads the runner's lines of a job log and stores its sections in order."""

    def __init__(self) -> None:
        self.heading = False
        self.verdict = EndingVerdict()
        self._job = WholeJob()
        self._done: list[Section] = []
        self._name = ""
        self._first = 0
        self._exit: int | None = None
        self._fetched: str | None = None
        self._head: str | None = None

    def hides(self, line: Line) -> bool:
        """Whether `line` is the runner's own (a heading, an echoed script, an exit code) and no tool's."""
        self.verdict.read(line.number, line.text)
        self._job.read(line)
        self.verdict.whole_job = self._job.passed
        if line.mark == "error":  # a step may have printed another system's last words before it failed
            self.verdict.green = 0
        if self._first and line.text in (_AFTER, _LAST):
            return True
        if line.mark == "group":
            if line.text.startswith("Run "):
                self._open(line)
                return True
            return False  # a tool's own group: its title may be the file that the lines below refer to
        if line.mark == "endgroup":
            self.heading = False
            return True
        if self.heading and line.mark == "echo":  # not the whole group: a tool may name a group "Run tests" too
            return True
        if line.mark == "error" and (match := _EXIT.match(line.text)):
            self._exit = int(match[1])
            return True
        self._read_checkout(line.text)
        return False

    def done(self, last: int) -> tuple[Section, ...]:
        """All sections; the open one ends at line `last`."""
        unfinished = [Section(self._name, self._first, last, self._exit)] if self._first else []
        return (*self._done, *unfinished)

    @property
    def checkout_sha(self) -> str | None:
        """The merge commit that actions/checkout printed, maybe abbreviated. A log can be forged, so check its
        parents."""
        if self._fetched and (not self._head or self._fetched.startswith(self._head)):
            return self._fetched
        return self._head

    def _open(self, line: Line) -> None:
        if self._first and len(self._done) < _LIMIT:
            self._done.append(Section(self._name, self._first, line.number - 1, self._exit))
        self._name, self._first, self._exit, self.heading = line.text[4:204].strip(), line.number, None, True

    def _read_checkout(self, text: str) -> None:
        if self._head is None and (match := _HEAD.match(text)):
            self._head = match[1]
        if self._fetched is None and "refs/remotes/pull/" in text and (match := _FETCHED.search(text)):
            self._fetched = match[1]
