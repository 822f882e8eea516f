"""What Heal remembers of a repository beyond one run: what failed, what worked, how specialists fared.

Known by the fingerprint and the shape of root causes, which are the same in every run. Memory never crosses
repositories.
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
    """A fix for a cause that was proven. `shape` is the cause's: what errors of other places may have in common."""

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
    """What one agent's work on one cluster taught."""

    failed: tuple[FailedFix, ...] = ()
    worked: tuple[WorkedFix, ...] = ()
    ended: tuple[Ended, ...] = ()


class Memory(Trajectories, Protocol):
    """The memory of one repository, for one of its runs."""

    async def failed(self, causes: tuple[str, ...]) -> tuple[FailedFix, ...]:
        """What was tried for these causes before and failed, the newest first; a few."""
        ...

    async def worked(self, shapes: tuple[str, ...]) -> tuple[WorkedFix, ...]:
        """What worked for causes of these shapes and was not rejected, the newest first; a few."""
        ...

    async def accepted(self, causes: tuple[str, ...], shapes: tuple[str, ...]) -> tuple[WorkedFix, ...]:
        """Fixes for these causes, or for causes of these shapes, that a person accepted and did not take back,
        and those for these very causes that are on offer, on whichever pull request: one breakage is paid for once. The
        newest first; a few."""
        ...

    async def records(self) -> Mapping[str, Record]:
        """How each specialist fared; a fix that a person rejected or took back counts as bad."""
        ...

    async def learn(self, lesson: Lesson) -> None:
        """Remembers it; the same lesson again changes nothing."""
        ...
