"""Runs one agent: in its own worktree, with a verifier for that worktree and a fallback chain of models."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from healing.llm.fallback import ModelTier
from healing.llm.prices import price_of
from healing.model import Candidate, CIError, Proposal, Unfixable
from healing.pipeline.agent_work.agent_space import AgentSpace, AgentVerifier
from healing.pipeline.agent_work.briefing import with_code
from healing.pipeline.agent_work.model_set import ModelSet
from healing.pipeline.agent_work.spreading import ClusterJob
from healing.pipeline.baseline import unfixable
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.history import lesson
from healing.repair.agents.loop import run_agent
from healing.repair.agents.memory import Memory
from healing.repair.agents.rules import AgentRules
from healing.repair.agents.strategies.attempt import Wrap, unwrapped
from healing.repair.agents.strategies.compare_two_models import compare_two_models, is_hard
from healing.repair.agents.strategies.consensus import ProofOnly
from healing.repair.agents.task import AgentResult, AgentTask
from healing.repair.agents.territory import Territory
from healing.repair.agents.tiers import run_tiers
from healing.steps import Steps
from healing.verify.verdict import Verdict
from healing.verify.verifier import Verifier

log = logging.getLogger("heal.agents")


@dataclass(frozen=True)
class AgentRunner:
    """Runs the agents of one phase of a run. `phase` is everything that is worked on in it."""

    verifier: Verifier
    model_set: ModelSet
    steps: Steps
    rules: AgentRules
    memory: Memory | None
    phase: tuple[AgentTask, ...]

    async def agent(self, job: ClusterJob, task: AgentTask, number: int, wrap: Wrap) -> AgentResult:
        """Runs one specialist in its own worktree. A cluster's first agent starts from the phase's base, which is the
        same in every replay of the run; the others start from what is accepted now."""
        model_set = self.model_set
        name = f"agent-{task.cluster.phase}-{job.number}" + f"-{number}" * bool(number)
        base = self.verifier.integration if number else job.base
        if base != job.base:
            task = with_code(task, base, self.verifier)
        fallback_chain = (
            model_set.fallback_chain
            if is_hard(task.errors)
            else model_set.fallback_chain.for_simple_errors(model_set.simple_seconds)
        )
        async with self.space(task, name, base) as (space, plain):
            verifier = wrap(plain)

            async def on_tier(part: AgentTask, tier: ModelTier) -> AgentResult:
                if tier.second_model is None or wrap is not unwrapped:  # several agents work on it already
                    return await run_agent(part, space, verifier, self.agent_context(tier))
                return await self._compare_two_models(part, tier, space, plain)

            result = await run_tiers(task, fallback_chain, on_tier)
        if self.memory is not None:
            await self.memory.learn(lesson(task, result))
        return result

    async def _compare_two_models(
        self, task: AgentTask, tier: ModelTier, space: AgentSpace, plain: AgentVerifier
    ) -> AgentResult:
        """Runs both models of a tier, the second one in a worktree of its own; their fixes are proven before one is
        submitted."""
        assert tier.second_model is not None
        models = (tier, replace(tier, model=tier.second_model, second_model=None))

        async def first() -> AgentResult:
            return await run_agent(task, space, ProofOnly(plain), self.agent_context(models[0]))

        async def second() -> AgentResult:
            async with self.space(task, f"{plain.who}-rival", space.base) as (beside, verifier):
                return await run_agent(task, beside, ProofOnly(verifier), self.agent_context(models[1]))

        async def take(number: int, proposal: Proposal) -> Verdict:
            candidate = Candidate(**proposal.model_dump(include=set(Candidate.model_fields)))
            strict = price_of(models[number].model.name).guard == "strict"
            return await self.verifier.submit(candidate.model_copy(update={"strict": strict}), on=proposal.base_tree)

        return await compare_two_models(
            task, [lambda: self.contained(task, first), lambda: self.contained(task, second)], take
        )

    @asynccontextmanager
    async def space(self, task: AgentTask, name: str, base: str) -> AsyncIterator[tuple[AgentSpace, AgentVerifier]]:
        """A worktree of that tree, and the verifier for changes made in it."""
        checker = self.verifier.checker
        async with checker.worktrees.worktree(checker.run_id, name, checker.git, base, layered=True) as worktree:
            space = AgentSpace(self.verifier, worktree, {e.id: e for e in task.errors})
            own = AgentVerifier(self.verifier, space, name, Territory.of(task, self.phase))
            try:
                async with self.verifier.branch.working(name):
                    yield space, own
            finally:
                own.over = True

    async def contained(self, task: AgentTask, act: Callable[[], Awaitable[AgentResult]]) -> AgentResult:
        """Turns an agent's unexpected exception into a report. Cancellation is no Exception, so it still ends the whole
        run."""
        try:
            return await act()
        except Exception as error:  # the one catch-all: other agents' work must not be lost
            name = task.cluster.id
            log.exception("an agent broke off", extra={"run_id": self.verifier.checker.run_id, "cluster": name})
            settled = {i for proposal in self.verifier.accepted for i in proposal.error_ids}
            errors = tuple(e for e in task.errors if e.id not in settled)
            return AgentResult(proposals=(), unfixables=(self._broken(errors, error),) if errors else ())

    def _broken(self, errors: tuple[CIError, ...], error: Exception) -> Unfixable:
        return unfixable(
            errors,
            "internal",
            f"something went wrong inside Heal ({type(error).__name__}), and it is not your fault: sorry",
            "an agent was working on it when that happened; the other agents continued",
            "Please retry. If it happens again, send your Heal admin this reference: "
            f"run {self.verifier.checker.run_id}.",
        )

    def agent_context(self, tier: ModelTier) -> AgentContext:
        """What an agent on one tier works with here."""
        agent_context = self.model_set.agent_context(tier, self.steps)
        beside = len(self.phase) > 1
        return replace(agent_context, limits=self.rules.limits(), trajectories=self.memory, beside=beside)
