"""The first round of a run that can wait: all clusters of a phase are asked for fixes in one batch, once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from healing.agents.first_round import ask_all, rest, take
from healing.agents.history import lesson
from healing.agents.task import AgentResult, AgentTask
from healing.llm.anthropic_batches import batches_of
from healing.llm.budget import BudgetSpent
from healing.llm.errors import ModelError
from healing.llm.protocol import Turn
from healing.phases.agent_runner import AgentRunner
from healing.phases.briefing import with_code
from healing.phases.spreading import ClusterJob


@dataclass(frozen=True)
class FirstRound:
    """Of one phase."""

    shop: AgentRunner
    progress: Callable[[str], Awaitable[None]]

    @property
    def possible(self) -> bool:
        """Whether somebody waits for batches, and the first model has them."""
        team = self.shop.team
        return team.overnight is not None and batches_of(team.ladder.tiers[0].model) is not None

    async def work(self, jobs: list[ClusterJob]) -> list[ClusterJob]:
        """The jobs of what a batch leaves: everything, where there is none to be had."""
        tier, poll_policy = self.shop.team.ladder.tiers[0], self.shop.team.overnight
        batches = batches_of(tier.model)
        if poll_policy is None or batches is None:
            return jobs
        await self.progress(f"Fixes for {len(jobs)} clusters are asked for in one batch; that may take hours")
        try:
            turns = await ask_all([job.task for job in jobs], batches, self.shop.means(tier), poll_policy)
        except (ModelError, BudgetSpent) as error:
            await self.progress(f"No batch: {error} Agents go on without it")
            return jobs
        left = []
        for job, turn in zip(jobs, turns, strict=True):
            remains = await self._taken(job, turn) if turn is not None else job.task
            left += [job.model_copy(update={"task": remains})] if remains is not None else []
        return [self._brought_up(job) for job in left]

    async def _taken(self, job: ClusterJob, turn: Turn) -> AgentTask | None:
        """What a batch's reply leaves of its cluster."""
        shop = self.shop

        async def act() -> AgentResult:
            name, means = f"batch-{job.task.cluster.phase}-{job.number}", shop.means(shop.team.ladder.tiers[0])
            async with shop.space(job.task, name, job.base) as (space, door):
                return await take(job.task, turn, space, door, means)

        result = await shop.contained(job.task, act)
        if shop.memory is not None:
            await shop.memory.learn(lesson(job.task, result))
        return rest(job.task, result)

    def _brought_up(self, job: ClusterJob) -> ClusterJob:
        """The job on what is accepted by now."""
        door = self.shop.door
        base, accepted = door.integration, tuple(proposal.id for proposal in door.accepted)
        task = with_code(job.task, base, door)
        return job.model_copy(update={"base": base, "accepted": accepted, "task": task})
