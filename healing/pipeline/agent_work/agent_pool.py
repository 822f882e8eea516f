"""The paid phases: agents work on each cluster in their own worktrees; all their fixes go through the verifier.

Without a model, every cluster is reported with an estimate of what the agents would have cost.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from healing.model import Candidate, CIError, Cluster, Proposal, Spending, Unfixable
from healing.pipeline.agent_work.agent_runner import AgentRunner
from healing.pipeline.agent_work.beginning import Beginning
from healing.pipeline.agent_work.briefing import Briefing
from healing.pipeline.agent_work.error_texts import ErrorTexts
from healing.pipeline.agent_work.full_runs import with_tracebacks
from healing.pipeline.agent_work.keyless import NoModel, missing_key
from healing.pipeline.agent_work.model_set import ModelSet
from healing.pipeline.agent_work.overnight import FirstRound
from healing.pipeline.agent_work.spreading import ClusterJob, Distributor, NoDistributor, order_of
from healing.pipeline.baseline import unfixable
from healing.repair.agents.memory import Memory
from healing.repair.agents.profiles import Profile, registry
from healing.repair.agents.routing import Routing
from healing.repair.agents.rules import AgentRules
from healing.repair.agents.strategies import work
from healing.repair.agents.strategies.attempt import Wrap, merged_result
from healing.repair.agents.task import AgentResult, AgentTask
from healing.repair.agents.tools.toolbox import available
from healing.repair.agents.warming import warm
from healing.steps import Json, Steps
from healing.verify.verdict import Verdict
from healing.verify.verifier import Verifier

AT_ONCE = {"fast": 8, "slow": 4}  # agents


@dataclass
class AgentPool:
    """The agents of one run. `reports` collects why errors are left."""

    verifier: Verifier
    model_set: ModelSet | None
    steps: Steps
    progress: Callable[[str], Awaitable[None]]
    hint: str = ""
    rules: AgentRules = field(default_factory=AgentRules)
    memory: Memory | None = None
    profiles: tuple[Profile, ...] = field(default_factory=registry)
    notes: dict[str, str] = field(default_factory=dict)  # error id → what its agent should know
    beyond: dict[str, str] = field(default_factory=dict)  # error id → what rules came to that got past it
    routings: list[Routing] = field(default_factory=list)
    missing: NoModel = field(default_factory=missing_key)
    reports: tuple[Unfixable, ...] = ()
    estimated: float = 0.0
    at_once: Mapping[str, int] = field(default_factory=lambda: AT_ONCE)
    asked_at_once: set[str] = field(default_factory=set)  # phases that were asked for in a batch
    spread: Distributor = field(default_factory=NoDistributor)  # where else clusters can be worked on

    async def work(self, clusters: list[Cluster], remaining: tuple[CIError, ...]) -> None:
        """Runs one phase: an agent for each cluster that still has errors, a few at a time."""
        left = {e.id: e for e in remaining}
        todo = [c for c in clusters if any(i in left for i in c.error_ids)]
        if not todo:
            return
        if self.model_set is None:
            self._without_key(todo, left)
            return
        shown = await self.texts.shown(remaining)
        self.reports += self._closed([e for e in remaining if e.id not in {error.id for error in shown}])
        todo = [c for c in todo if any(e.id in c.error_ids for e in shown)]
        if not todo:
            return
        at_work = "1 agent is" if len(todo) == 1 else f"{len(todo)} agents are"
        await self.progress(f"{at_work} at work ({todo[0].phase} phase)")
        phase_ids = {i for cluster in todo for i in cluster.error_ids}
        full = await with_tracebacks(self.verifier, self.verifier.integration, [e for e in shown if e.id in phase_ids])
        jobs = await self._jobs(todo, {e.id: e for e in full})
        phase = tuple(job.task for job in jobs)
        runner = AgentRunner(self.verifier, self.model_set, self.steps, self.rules, self.memory, phase)
        jobs = await self._first_round(runner, jobs)
        if jobs:
            await self._warm(runner, [job.task for job in jobs])
            await self._agents(runner, jobs)

    async def _jobs(self, clusters: list[Cluster], left: dict[str, CIError]) -> list[ClusterJob]:
        base = self.verifier.integration
        briefing = Briefing(self.verifier, self.steps, self.rules, self.memory, self.profiles, self.hint, self.notes)
        jobs = [await briefing.job(number, cluster, left, base) for number, cluster in enumerate(clusters)]
        self.routings += [job.task.routing for job in jobs if job.task.routing is not None]
        several = any(len(job.task.ids()) > 1 for job in jobs)
        return [job.model_copy(update={"task": job.task.model_copy(update={"several": several})}) for job in jobs]

    async def _first_round(self, agent_runner: AgentRunner, jobs: list[ClusterJob]) -> list[ClusterJob]:
        """The jobs that a batch leaves, where the run can wait for a batch; at most one per phase."""
        first_round, phase = FirstRound(agent_runner, self.progress), jobs[0].task.cluster.phase
        if not first_round.possible or phase in self.asked_at_once:
            return jobs
        self.asked_at_once.add(phase)
        return await first_round.work(jobs)

    async def _warm(self, agent_runner: AgentRunner, tasks: list[AgentTask]) -> None:
        agent_context = agent_runner.model_set.agent_context(agent_runner.model_set.fallback_chain.tiers[0], self.steps)
        groups: dict[tuple[object, ...], list[AgentTask]] = {}
        for task in tasks:  # tools and rules are the shared prefix; the specialist's own text comes after them
            key = (available(task, agent_context.docs), task.profile.effort[task.cluster.phase], task.trunk_ttl)
            groups.setdefault(key, []).append(task)
        for group in groups.values():
            await warm(agent_context, group[0], len(group))

    async def _agents(self, agent_runner: AgentRunner, jobs: list[ClusterJob]) -> None:
        """Runs all agents, a few at a time."""
        at_once = self.at_once[jobs[0].task.cluster.phase]
        gate = asyncio.Semaphore(at_once)
        beginning = Beginning(self.verifier, self.steps, jobs, self.texts.shown)

        async def one(waiting: ClusterJob) -> None:
            await beginning.wait(waiting)
            async with gate:
                job = await beginning.on_current_tree(waiting) if len(jobs) > 1 else waiting
                if job is not None:
                    if len(jobs) > 1:
                        await self._ahead(agent_runner, job, min(len(jobs), at_once))
                    result = await agent_runner.contained(job.task, lambda: self._worked(agent_runner, job, beginning))
                    self.reports += result.unfixables
            beginning.ended(waiting)

        async with asyncio.TaskGroup() as group:
            for job in jobs:
                group.create_task(one(job))

    async def _ahead(self, agent_runner: AgentRunner, job: ClusterJob, at_work: int) -> None:
        """Has another worker prefetch a cluster with its share of the budget, if one is available."""
        if not job.alone_first or not await self.spread.wanted(job):
            return
        budget = agent_runner.model_set.budget
        order = await asyncio.to_thread(
            order_of, job, self.verifier, agent_runner.phase, self.rules, agent_runner.model_set.names
        )

        async def share() -> Json:
            return budget.share(at_work)

        if order is not None:
            dollars = await self.steps.run("share", job.key, share)
            async with budget.reserved_for_worker(dollars):
                await self.spread.prefetch(order.model_copy(update={"dollars": dollars}))

    async def _worked(self, agent_runner: AgentRunner, job: ClusterJob, beginning: Beginning) -> AgentResult:
        """Works on a cluster by its strategy, one batch of causes after another; each starts from what those before it
        left."""
        results = []
        for number, part in enumerate(job.task.batches(self.rules.batch)):
            part_job = job.model_copy(update={"task": part})
            current = await beginning.on_current_tree(part_job) if number else part_job
            if current is not None:
                results.append(await self._strategy(agent_runner, current))
        return merged_result(job.task, results)

    async def _strategy(self, agent_runner: AgentRunner, job: ClusterJob) -> AgentResult:
        """The result of a cluster or a part of it, by its strategy."""

        async def attempt(task: AgentTask, number: int, wrap: Wrap) -> AgentResult:
            return await agent_runner.contained(task, lambda: agent_runner.agent(job, task, number, wrap))

        async def take(proposal: Proposal) -> Verdict:
            wish = Candidate(**proposal.model_dump(include=set(Candidate.model_fields)))
            return await self.verifier.submit(wish, on=proposal.base_tree)

        return await work(job.task, job.candidates, job.strategy, attempt, take)

    @cached_property
    def texts(self) -> ErrorTexts:
        """The errors as models may see them."""
        return ErrorTexts(self.verifier)

    @staticmethod
    def _closed(errors: list[CIError]) -> tuple[Unfixable, ...]:
        """The report on errors that no model may see."""
        why = "it showed after a model's fix, and only where files are that are closed to models"
        return (unfixable(errors, "closed", why, "what the earlier fixes did"),) if errors else ()

    def _without_key(self, clusters: list[Cluster], left: dict[str, CIError]) -> None:
        view = self.verifier.git.view(self.verifier.integration)
        for cluster in clusters:
            errors = tuple(left[i] for i in cluster.error_ids if i in left)
            dollars = self.missing.cost(cluster, errors, view)
            self.estimated += dollars
            beyond = next((self.beyond[error.id] for error in errors if error.id in self.beyond), "")
            self.reports += (self.missing.report(errors, dollars, view, beyond),)

    def spending(self) -> Spending:
        """What the models cost, with the estimate for model work that was not done."""
        spent = self.model_set.budget.spending if self.model_set else Spending()
        return spent.model_copy(update={"estimate_dollars": round(self.estimated, 4)})
