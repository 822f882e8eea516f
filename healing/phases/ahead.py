"""Goes ahead through a cluster of a run that another worker has: agents ask and prove here, and nothing is merged.

What counts are the durable steps that it leaves in the run's store (`healing.phases.spreading`).
"""

import asyncio
from dataclasses import dataclass

from healing.agents.strategies.attempt import as_it_is
from healing.agents.unsent import Unsent
from healing.checks.running import Checker
from healing.gitio import Git, GitError
from healing.phases.agent_runner import AgentRunner
from healing.phases.error_texts import ErrorTexts
from healing.phases.spreading import ClusterOrder, made_of, names_of
from healing.phases.team import Team
from healing.policy import FixPolicy
from healing.proof.door import Door
from healing.queue.integration import Integration
from healing.steps import MemorySteps


@dataclass
class Ahead:
    """A worker's own tools for it. `team` has the part of the run's budget that is lent to it."""

    git: Git
    checker: Checker
    team: Team
    unsent: Unsent
    policy: FixPolicy

    async def work(self, order: ClusterOrder) -> bool:
        """The first try of the cluster's first part: what follows depends on what the run has merged by then. False
        where that can't be done as the run would: its tree can't be made here, or other models would be asked. Raises
        what agents raise."""
        job = order.job
        if order.models != names_of(self.team.ladder, self.team.docs is not None):
            return False
        try:
            made = await asyncio.to_thread(made_of, self.git, order.trees.head, order.changes)
        except GitError:
            return False
        if made != job.base:
            return False
        self.checker.seconds["before"] = order.check_seconds
        door, steps = await self._door(order), self.checker.steps
        shop = AgentRunner(door, self.team, steps, order.rules, None, order.phase)
        part = job.task.batches(order.rules.batch)[0]
        await shop.agent(job, part.model_copy(update={"profile": job.candidates[0]}), 0, as_it_is)
        return True

    async def _door(self, order: ClusterOrder) -> Door:
        """The run's door as it was, with a branch of its own: what is merged there nobody sees."""
        errors = {error.id: error for error in order.errors}
        door = Door(self.git, self.checker, order.trees, order.checks, errors, order.shown_by, self.unsent)
        door.policy = self.policy
        door.branch = Integration(self.git, order.trees.head, MemorySteps())
        await door.branch.go_on_from(order.job.base, order.accepted)
        door.reviewer = self.team.reviewer(self.checker.steps, ErrorTexts(door).shown)
        return door
