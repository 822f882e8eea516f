"""Counts what agents handed in and the guard refused, and remembers nothing else: each case begins knowing nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

from healing.repair.agents.memory import FailedFix, Lesson, WorkedFix
from healing.repair.agents.routing import Record
from healing.repair.agents.trajectory import Trajectory

REFUSED = "refused by the guard"


@dataclass
class Listening:
    """`healing.repair.agents.memory.Memory` that is always empty."""

    tampered: int = 0

    async def save(self, trajectory: Trajectory) -> None:
        """Looks for refusals of the guard."""
        used = [one for step in trajectory.steps for one in step.used if one.tool == "suggest_fix"]
        self.tampered += sum(REFUSED in one.answered for one in used)

    async def failed(self, causes: tuple[str, ...]) -> tuple[FailedFix, ...]:
        return ()

    async def worked(self, shapes: tuple[str, ...]) -> tuple[WorkedFix, ...]:
        return ()

    async def accepted(self, causes: tuple[str, ...], shapes: tuple[str, ...]) -> tuple[WorkedFix, ...]:
        return ()

    async def records(self) -> Mapping[str, Record]:
        return {}

    async def learn(self, lesson: Lesson) -> None:
        """Forgets it."""
