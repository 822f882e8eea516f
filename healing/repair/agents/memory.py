"""What Heal stores about a repository beyond one run: what failed, what worked, how specialists fared.

Entries are keyed by the fingerprint and the shape of root causes, which are the same in every run. Memory is never
shared between repositories.
"""

from collections.abc import Mapping
from typing import Protocol

from healing.model import Edit, Frozen
from healing.repair.agents.routing import Record
from healing.repair.agents.trajectory import Trajectories


class FailedFix(Frozen):
    """Edits for a cause that were tried and refused. `edit` is their fingerprint, `cause` that of the root cause."""

    cause: str
    edit: str
    specialist: str
    edits: tuple[Edit, ...]
    message: str


class WorkedFix(Frozen):
    """A proven fix for a cause. `shape` is the cause's: errors in other places may share it."""

    cause: str
    shape: str
    proposal: str
    specialist: str
    title: str
    edits: tuple[Edit, ...]


class Ended(Frozen):
    """How a specialist's work on one cause ended: `proposal` is the proven fix, empty where there was none."""

    cause: str
    specialist: str
    proposal: str = ""


class Lesson(Frozen):
    """What to store about one agent's work on one cluster."""

    failed: tuple[FailedFix, ...] = ()
    worked: tuple[WorkedFix, ...] = ()
    ended: tuple[Ended, ...] = ()


class Memory(Trajectories, Protocol):
    """The memory of one repository, for one of its runs."""

    async def failed(self, causes: tuple[str, ...]) -> tuple[FailedFix, ...]:
        """Fixes for these causes that failed before, newest first; a few."""
        ...

    async def worked(self, shapes: tuple[str, ...]) -> tuple[WorkedFix, ...]:
        """Fixes that worked for causes of these shapes and were not rejected, newest first; a few."""
        ...

    async def accepted(self, causes: tuple[str, ...], shapes: tuple[str, ...]) -> tuple[WorkedFix, ...]:
        """Fixes for these causes, or for causes of these shapes, that a person accepted and did not revert, and fixes
        for exactly these causes that are currently offered on any pull request, so that the same failure is paid for
        once. Newest first; a few."""
        ...

    async def records(self) -> Mapping[str, Record]:
        """Each specialist's record; a fix that a person rejected or reverted counts as bad."""
        ...

    async def learn(self, lesson: Lesson) -> None:
        """Stores the lesson; storing the same one again has no effect."""
        ...
