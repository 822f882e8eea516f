"""What an agent works with, beside its task, its worktree and the door."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from healing.agents.docs import Docs
from healing.agents.task import Limits
from healing.agents.trajectory import Trajectories
from healing.llm.budget import Budget
from healing.llm.protocol import Model
from healing.llm.retry import PATIENT, Retry
from healing.steps import Steps


@dataclass(frozen=True)
class Means:
    """The model that it asks, the durable steps and the budget of the run, documentation where the operator has some;
    `trajectories` keeps what it did; `clock` gives seconds, monotonic."""

    model: Model
    steps: Steps
    budget: Budget
    docs: Docs | None = None
    retry: Retry = PATIENT
    limits: Limits = field(default_factory=Limits)
    trajectories: Trajectories | None = None
    clock: Callable[[], float] = time.monotonic
