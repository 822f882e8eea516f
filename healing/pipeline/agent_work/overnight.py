"""The first round of a run that can wait: one batch asks for fixes for all clusters of a phase."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from healing.llm.anthropic_batches import batches_of
from healing.llm.budget import BudgetSpent
from healing.llm.errors import ModelError
from healing.llm.protocol import Turn
from healing.pipeline.agent_work.agent_runner import AgentRunner
from healing.pipeline.agent_work.briefing import with_code
from healing.pipeline.agent_work.spreading import ClusterJob
from healing.repair.agents.first_round import ask_all, rest, submit_reply
from healing.repair.agents.history import lesson
from healing.repair.agents.task import AgentResult, AgentTask


@dataclass(frozen=True)
class FirstRound:
    """The first round of one phase."""

    agent_runner: AgentRunner
    progress: Callable[[str], Awaitable[None]]

    @property
    def possible(self) -> bool:
        """Whether the run waits for batches and the first model supports them."""
        model_set = self.agent_runner.model_set
        return model_set.overnight is not None and batches_of(model_set.fallback_chain.tiers[0].model) is not None

    async def work(self, jobs: list[ClusterJob]) -> list[ClusterJob]:
        """The jobs with what the batch left unfixed; all jobs where there was no batch."""
        tier, poll_policy = self.agent_runner.model_set.fallback_chain.tiers[0], self.agent_runner.model_set.overnight
        batches = batches_of(tier.model)
        if poll_policy is None or batches is None:
            return jobs
        await self.progress(f"Fixes for {len(jobs)} clusters are asked for in one batch; that may take hours")
        try:
            turns = await ask_all(
                [job.task for job in jobs], batches, self.agent_runner.agent_context(tier), poll_policy
            )
        except (ModelError, BudgetSpent) as error:
            await self.progress(f"No batch: {error} Agents go on without it")
            return jobs
        left = []
        for job, turn in zip(jobs, turns, strict=True):
            remains = await self._taken(job, turn) if turn is not None else job.task
            left += [job.model_copy(update={"task": remains})] if remains is not None else []
        return [self._brought_up(job) for job in left]

    async def _taken(self, job: ClusterJob, turn: Turn) -> AgentTask | None:
        """The task that a batch's reply leaves of its cluster; None where nothing is left."""
        runner = self.agent_runner

        async def act() -> AgentResult:
            name, agent_context = (
                f"batch-{job.task.cluster.phase}-{job.number}",
                runner.agent_context(runner.model_set.fallback_chain.tiers[0]),
            )
            async with runner.space(job.task, name, job.base) as (space, verifier):
                return await submit_reply(job.task, turn, space, verifier, agent_context)

        result = await runner.contained(job.task, act)
        if runner.memory is not None:
            await runner.memory.learn(lesson(job.task, result))
        return rest(job.task, result)

    def _brought_up(self, job: ClusterJob) -> ClusterJob:
        """The job on what is accepted by now."""
        verifier = self.agent_runner.verifier
        base, accepted = verifier.integration, tuple(proposal.id for proposal in verifier.accepted)
        task = with_code(job.task, base, verifier)
        return job.model_copy(update={"base": base, "accepted": accepted, "task": task})
