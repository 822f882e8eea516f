"""Where one agent is at work: a worktree of its own, the door for what is made in it, and the ladder of models."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from healing.agents.climbing import climb
from healing.agents.history import lesson
from healing.agents.loop import run_agent
from healing.agents.means import Means
from healing.agents.rules import AgentRules
from healing.agents.strategies.attempt import Wrap, as_it_is
from healing.agents.strategies.compare_two_models import compare_two_models, is_hard
from healing.agents.strategies.consensus import TryingDoor
from healing.agents.task import AgentResult, AgentTask
from healing.agents.territory import Territory
from healing.agents.workspace import Verdict
from healing.llm.choice import ModelTier
from healing.llm.prices import price_of
from healing.memory import Memory
from healing.model import Candidate, CIError, Proposal, Unfixable
from healing.phases.agent_space import AgentDoor, AgentSpace
from healing.phases.baseline import unfixable
from healing.phases.briefing import with_code
from healing.phases.spreading import ClusterJob
from healing.phases.team import Team
from healing.proof.door import Door
from healing.steps import Steps

log = logging.getLogger("heal.agents")


@dataclass(frozen=True)
class AgentRunner:
    """Of one phase of a run. `phase` is all that is worked on in it."""

    door: Door
    team: Team
    steps: Steps
    rules: AgentRules
    memory: Memory | None
    phase: tuple[AgentTask, ...]

    async def agent(self, job: ClusterJob, task: AgentTask, number: int, wrap: Wrap) -> AgentResult:
        """One specialist in a worktree of its own: the first of a cluster from the phase's base, which is the same in
        every life of the run, the others from what is accepted now."""
        team = self.team
        name = f"agent-{task.cluster.phase}-{job.number}" + f"-{number}" * bool(number)
        base = self.door.integration if number else job.base
        if base != job.base:
            task = with_code(task, base, self.door)
        ladder = team.ladder if is_hard(task.errors) else team.ladder.hasty(team.simple_seconds)
        async with self.space(task, name, base) as (space, plain):
            door = wrap(plain)

            async def climber(part: AgentTask, tier: ModelTier) -> AgentResult:
                if tier.second_model is None or wrap is not as_it_is:  # several are at it already
                    return await run_agent(part, space, door, self.means(tier))
                return await self._compare_two_models(part, tier, space, plain)

            result = await climb(task, ladder, climber)
        if self.memory is not None:
            await self.memory.learn(lesson(task, result))
        return result

    async def _compare_two_models(
        self, task: AgentTask, tier: ModelTier, space: AgentSpace, plain: AgentDoor
    ) -> AgentResult:
        """Both models of a tier, the second model in a worktree beside; each only proves."""
        assert tier.second_model is not None
        models = (tier, replace(tier, model=tier.second_model, second_model=None))

        async def first() -> AgentResult:
            return await run_agent(task, space, TryingDoor(plain), self.means(models[0]))

        async def second() -> AgentResult:
            async with self.space(task, f"{plain.who}-rival", space.base) as (beside, door):
                return await run_agent(task, beside, TryingDoor(door), self.means(models[1]))

        async def take(number: int, proposal: Proposal) -> Verdict:
            wish = Candidate(**proposal.model_dump(include=set(Candidate.model_fields)))
            strict = price_of(models[number].model.name).guard == "strict"
            return await self.door.submit(wish.model_copy(update={"strict": strict}), on=proposal.base_tree)

        return await compare_two_models(
            task, [lambda: self.contained(task, first), lambda: self.contained(task, second)], take
        )

    @asynccontextmanager
    async def space(self, task: AgentTask, name: str, base: str) -> AsyncIterator[tuple[AgentSpace, AgentDoor]]:
        """A worktree of that tree, and the door for what is made in it."""
        checker = self.door.checker
        async with checker.worktrees.worktree(checker.run_id, name, checker.git, base, layered=True) as worktree:
            space = AgentSpace(self.door, worktree, {e.id: e for e in task.errors})
            async with self.door.branch.working(name):
                yield space, AgentDoor(self.door, space, name, Territory.of(task, self.phase))

    async def contained(self, task: AgentTask, act: Callable[[], Awaitable[AgentResult]]) -> AgentResult:
        """What one agent's mistakes end in. Cancellation is no Exception: it still ends the whole run."""
        try:
            return await act()
        except Exception as error:  # the one place where what nobody foresaw is caught: others' work must not be lost
            name = task.cluster.id
            log.exception("an agent broke off", extra={"run_id": self.door.checker.run_id, "cluster": name})
            settled = {i for proposal in self.door.accepted for i in proposal.error_ids}
            errors = tuple(e for e in task.errors if e.id not in settled)
            return AgentResult(proposals=(), unfixables=(self._broken(errors, error),) if errors else ())

    def _broken(self, errors: tuple[CIError, ...], error: Exception) -> Unfixable:
        return unfixable(
            errors,
            "internal",
            f"something went wrong inside Heal ({type(error).__name__}), and it is not your fault: sorry",
            "an agent was working on it when that happened; the other agents continued",
            f"Please retry. If it happens again, send your Heal admin this reference: run {self.door.checker.run_id}.",
        )

    def means(self, tier: ModelTier) -> Means:
        """What an agent on one tier works with here."""
        means = self.team.means(tier, self.steps)
        beside = len(self.phase) > 1
        return replace(means, limits=self.rules.limits(), trajectories=self.memory, beside=beside)
