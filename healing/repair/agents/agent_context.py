"""What an agent works with besides its task, its worktree and the verifier."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from healing.llm.budget import Budget
from healing.llm.protocol import Model
from healing.llm.retry import PATIENT, Retry
from healing.repair.agents.docs import Docs
from healing.repair.agents.task import AgentLimits, AgentTask
from healing.repair.agents.trajectory import MAX_STEPS, AgentStep, Trajectories, Trajectory
from healing.steps import Steps


@dataclass(frozen=True)
class AgentContext:
    """The model that the agent asks, the run's durable steps and budget, and documentation where the operator
    configured some. `trajectories` stores what it did; `clock` returns monotonic seconds; `beside`: other agents' fixes
    may be accepted while it works."""

    model: Model
    steps: Steps
    budget: Budget
    docs: Docs | None = None
    retry: Retry = PATIENT
    limits: AgentLimits = field(default_factory=AgentLimits)
    trajectories: Trajectories | None = None
    clock: Callable[[], float] = time.monotonic
    beside: bool = False

    async def keep(
        self, task: AgentTask, done: list[AgentStep], ending: str, first: tuple[str, ...], how: str = ""
    ) -> None:
        """Stores what an agent did and its `first` message; `how` is appended to the model's name to say how it was
        asked."""
        if self.trajectories is not None:
            await self.trajectories.save(
                Trajectory(
                    cluster=task.cluster.id,
                    errors=task.ids(),
                    specialist=task.profile.name,
                    model=f"{self.model.name}{how}",
                    steps=tuple(done[:MAX_STEPS]),
                    ending=ending,
                    routing=task.routing,
                    first=first,
                )
            )
