"""The paid phases: each cluster gets agents in worktrees of their own; all their fixes go through the one door.

Without a model every cluster is reported with what asking one would have cost (LM-7).
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from healing.agents.climbing import climb
from healing.agents.contexts import excerpts
from healing.agents.docs import Docs
from healing.agents.estimate import DEFAULT_MODEL, estimate
from healing.agents.first_round import ask_all, rest, take
from healing.agents.history import lesson, remembered, remembered_records
from healing.agents.loop import run_agent
from healing.agents.means import Means
from healing.agents.profiles import GENERALIST, Profile, load_profile, registry
from healing.agents.routing import Routing, route
from healing.agents.rules import AgentRules
from healing.agents.strategies import work
from healing.agents.strategies.attempt import Wrap, as_it_is, together
from healing.agents.strategies.consensus import Trial
from healing.agents.strategies.duel import duel, is_hard
from healing.agents.task import AgentResult, AgentTask
from healing.agents.territory import Territory
from healing.agents.tools.toolbox import available
from healing.agents.unsent import Unsent
from healing.agents.warming import trunk_ttl, warm
from healing.agents.workspace import Verdict
from healing.llm.anthropic_batches import batches_of
from healing.llm.batches import Patience
from healing.llm.budget import Budget, BudgetSpent
from healing.llm.choice import Ladder, Rung
from healing.llm.errors import ModelError
from healing.llm.prices import price_of
from healing.llm.protocol import Turn
from healing.memory import Memory
from healing.model import Candidate, CIError, Cluster, Proposal, Spending, Unfixable
from healing.phases.agent_space import AgentDoor, AgentSpace
from healing.phases.baseline import unfixable
from healing.phases.spreading import AtHome, ClusterJob, Spread, names_of, order_of
from healing.proof.door import Door
from healing.steps import Json, Steps

AT_ONCE = {"fast": 8, "slow": 4}  # agents (AG-7)
MOST_LABELS = 50  # steps that an agent is told of

log = logging.getLogger("heal.crew")


@dataclass
class Team:
    """The models that agents ask, the one budget that they share, and documentation where the operator has some.
    `simple_seconds` bounds one call about simple errors (LM-2)."""

    ladder: Ladder
    budget: Budget
    docs: Docs | None = None
    simple_seconds: float = 600.0
    overnight: Patience | None = None  # how a batch is waited for; None: nobody waits for batches

    @property
    def names(self) -> tuple[str, ...]:
        """Who is asked, and with which means."""
        return names_of(self.ladder, self.docs is not None)

    def means(self, rung: Rung, steps: Steps) -> Means:
        """What an agent on one rung works with."""
        return Means(rung.model, steps, self.budget, self.docs, rung.retry)


@dataclass(frozen=True)
class MissingKey:
    """Why there is no team: the environment variable that is not set, and the model that would have been asked."""

    variable: str = "ANTHROPIC_API_KEY"
    model: str = DEFAULT_MODEL


@dataclass
class Crew:
    """The agents of one run. `reports` collects why errors are left."""

    door: Door
    team: Team | None
    steps: Steps
    progress: Callable[[str], Awaitable[None]]
    hint: str = ""
    rules: AgentRules = field(default_factory=AgentRules)
    memory: Memory | None = None
    profiles: tuple[Profile, ...] = field(default_factory=registry)
    notes: dict[str, str] = field(default_factory=dict)  # error id → what an agent on it should know
    routings: list[Routing] = field(default_factory=list)
    missing: MissingKey = MissingKey()
    unsent: Unsent = field(default_factory=Unsent)  # files that no model is shown
    reports: tuple[Unfixable, ...] = ()
    estimated: float = 0.0
    at_once: Mapping[str, int] = field(default_factory=lambda: AT_ONCE)
    asked_at_once: set[str] = field(default_factory=set)  # phases that were asked for in a batch
    phase: tuple[AgentTask, ...] = ()  # all that is worked on in this one
    spread: Spread = field(default_factory=AtHome)  # where else clusters can be worked on

    async def work(self, clusters: list[Cluster], remaining: tuple[CIError, ...]) -> None:
        """One phase: an agent for each cluster that still has errors, a few at a time."""
        left = {e.id: e for e in remaining}
        todo = [c for c in clusters if any(i in left for i in c.error_ids)]
        if not todo:
            return
        if self.team is None:
            self._without_key(todo, left)
            return
        at_work = "1 agent is" if len(todo) == 1 else f"{len(todo)} agents are"
        await self.progress(f"{at_work} at work ({todo[0].phase} phase)")
        gate = asyncio.Semaphore(self.at_once[todo[0].phase])
        base = self.door.integration
        jobs = [await self._job(number, cluster, left, base) for number, cluster in enumerate(todo)]
        self.phase = tuple(job.task for job in jobs)
        jobs = await self._first_round(jobs)
        if not jobs:
            return
        await self._warm([job.task for job in jobs])

        async def one(job: ClusterJob) -> None:
            async with gate:
                if len(jobs) > 1:
                    await self._ahead(job, min(len(jobs), self.at_once[job.task.cluster.phase]))
                result = await self._contained(job.task, lambda: self._worked(job))
                self.reports += result.unfixables

        async with asyncio.TaskGroup() as group:
            for job in jobs:
                group.create_task(one(job))

    async def _job(self, number: int, cluster: Cluster, left: dict[str, CIError], base: str) -> ClusterJob:
        """A cluster with what is remembered of it and whom it is routed to, the generalist the last."""
        task = self._task(cluster, left, base)
        profiles = {profile.name: profile for profile in self.profiles}
        rules = self.rules
        records = await remembered_records(self.memory, self.steps)
        routing = route(task.cluster, task.errors, self.profiles, records, rules.min_confidence, rules.candidates)
        self.routings.append(routing)
        log.info("routed", extra={"run_id": self.door.checker.run_id, "routing": routing.model_dump(mode="json")})
        names = dict.fromkeys((*routing.chosen, GENERALIST))
        candidates = tuple(profiles[name] for name in names)[: rules.candidates]
        kept = await trunk_ttl(self.steps, cluster.id, self.door.checker.seconds.values())
        task = task.model_copy(update={"profile": candidates[0], "routing": routing, "trunk_ttl": kept})
        return ClusterJob(
            number=number,
            base=base,
            task=await remembered(self.memory, self.steps, task),
            candidates=candidates,
            strategy=rules.strategy_of(routing.chosen),
        )

    async def _first_round(self, jobs: list[ClusterJob]) -> list[ClusterJob]:
        """Overnight, all clusters of a phase are asked for fixes in one batch first, once (LM-4). Gives the jobs of
        what that leaves: everything, where there is no batch to be had."""
        assert self.team is not None
        rung, patience = self.team.ladder.rungs[0], self.team.overnight
        batches = batches_of(rung.model)
        phase = jobs[0].task.cluster.phase
        if patience is None or batches is None or phase in self.asked_at_once:
            return jobs
        self.asked_at_once.add(phase)
        await self.progress(f"Fixes for {len(jobs)} clusters are asked for in one batch; that may take hours")
        try:
            turns = await ask_all([job.task for job in jobs], batches, self._means(rung), patience)
        except (ModelError, BudgetSpent) as error:
            await self.progress(f"No batch: {error} Agents go on without it")
            return jobs
        left = []
        for job, turn in zip(jobs, turns, strict=True):
            remains = await self._taken(job, turn) if turn is not None else job.task
            left += [job.model_copy(update={"task": remains})] if remains is not None else []
        base = self.door.integration
        return [job.model_copy(update={"base": base, "task": self._on(job.task, base)}) for job in left]

    async def _taken(self, job: ClusterJob, turn: Turn) -> AgentTask | None:
        """What a batch's reply leaves of its cluster."""

        async def act() -> AgentResult:
            assert self.team is not None
            name, means = f"batch-{job.task.cluster.phase}-{job.number}", self._means(self.team.ladder.rungs[0])
            async with self._space(job.task, name, job.base) as (space, door):
                return await take(job.task, turn, space, door, means)

        result = await self._contained(job.task, act)
        if self.memory is not None:
            await self.memory.learn(lesson(job.task, result))
        return rest(job.task, result)

    def _on(self, task: AgentTask, base: str) -> AgentTask:
        """The task with the code as it is in that tree."""
        return task.model_copy(update={"contexts": excerpts(task.cluster, task.errors, self._shown(base))})

    def _shown(self, base: str) -> Callable[[str], bytes | None]:
        return self.unsent.hide(self.door.git.view(base))

    @asynccontextmanager
    async def _space(self, task: AgentTask, name: str, base: str) -> AsyncIterator[tuple[AgentSpace, AgentDoor]]:
        """A worktree of that tree, and the door for what is made in it."""
        checker = self.door.checker
        async with checker.worktrees.worktree(checker.run_id, name, checker.git, base, layered=True) as worktree:
            space = AgentSpace(self.door, worktree, {e.id: e for e in task.errors}, self.unsent)
            async with self.door.branch.working(name):
                yield space, AgentDoor(self.door, space, name, Territory.of(task, self.phase))

    async def _warm(self, tasks: list[AgentTask]) -> None:
        assert self.team is not None
        means = self.team.means(self.team.ladder.rungs[0], self.steps)
        groups: dict[tuple[object, ...], list[AgentTask]] = {}
        for task in tasks:  # what is shared is the tools and the rules; who specialises in what is said after them
            alike = (available(task, means.docs), task.profile.effort[task.cluster.phase], task.trunk_ttl)
            groups.setdefault(alike, []).append(task)
        for group in groups.values():
            await warm(means, group[0], len(group))

    async def _contained(self, task: AgentTask, act: Callable[[], Awaitable[AgentResult]]) -> AgentResult:
        """What one agent's mistakes end in (AG-9). Cancellation is no Exception: it still ends the whole run."""
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
            "an agent was at work on it when that happened; the other agents went on",
            f"Retry in a while; if it stays, show the operator this, for Heal's log: run {self.door.checker.run_id}.",
        )

    async def _ahead(self, job: ClusterJob, at_work: int) -> None:
        """Lets another worker go ahead through a cluster, with its share of the budget, where there is one."""
        if self.team is None or not job.alone_first or not await self.spread.wanted(job):
            return
        budget = self.team.budget
        order = await asyncio.to_thread(order_of, job, self.door, self.phase, self.rules, self.team.names)

        async def share() -> Json:
            return budget.share(at_work)

        if order is not None:
            dollars = await self.steps.run("share", job.key, share)
            async with budget.lent(dollars):
                await self.spread.go_ahead(order.model_copy(update={"dollars": dollars}))

    async def _worked(self, job: ClusterJob) -> AgentResult:
        """A cluster, a batch of causes after the other, by its strategy."""

        async def attempt(task: AgentTask, number: int, wrap: Wrap) -> AgentResult:
            return await self._contained(task, lambda: self.agent(job, task, number, wrap))

        async def take(proposal: Proposal) -> Verdict:
            wish = Candidate(**proposal.model_dump(include=set(Candidate.model_fields)))
            return await self.door.submit(wish, on=proposal.base_tree)

        results = [
            await work(part, job.candidates, job.strategy, attempt, take) for part in job.task.batches(self.rules.batch)
        ]
        return together(job.task, results)

    async def agent(self, job: ClusterJob, task: AgentTask, number: int, wrap: Wrap) -> AgentResult:
        """One specialist in a worktree of its own: the first of a cluster from the phase's base, which is the same in
        every life of the run, the others from what is accepted now."""
        assert self.team is not None
        team = self.team
        name = f"agent-{task.cluster.phase}-{job.number}" + f"-{number}" * bool(number)
        base = self.door.integration if number else job.base
        if base != job.base:
            task = self._on(task, base)
        ladder = team.ladder if is_hard(task.errors) else team.ladder.hasty(team.simple_seconds)
        async with self._space(task, name, base) as (space, plain):
            door = wrap(plain)

            async def climber(part: AgentTask, rung: Rung) -> AgentResult:
                if rung.rival is None or wrap is not as_it_is:  # several are at it already
                    return await run_agent(part, space, door, self._means(rung))
                return await self._duel(part, rung, space, plain)

            result = await climb(task, ladder, climber)
        if self.memory is not None:
            await self.memory.learn(lesson(task, result))
        return result

    async def _duel(self, task: AgentTask, rung: Rung, space: AgentSpace, plain: AgentDoor) -> AgentResult:
        """Both models of a rung, the rival in a worktree beside; each only proves."""
        assert rung.rival is not None
        models = (rung, replace(rung, model=rung.rival, rival=None))

        async def first() -> AgentResult:
            return await run_agent(task, space, Trial(plain), self._means(models[0]))

        async def second() -> AgentResult:
            async with self._space(task, f"{plain.who}-rival", space.base) as (beside, door):
                return await run_agent(task, beside, Trial(door), self._means(models[1]))

        async def take(number: int, proposal: Proposal) -> Verdict:
            wish = Candidate(**proposal.model_dump(include=set(Candidate.model_fields)))
            strict = price_of(models[number].model.name).guard == "strict"
            return await self.door.submit(wish.model_copy(update={"strict": strict}), on=proposal.base_tree)

        return await duel(task, [lambda: self._contained(task, first), lambda: self._contained(task, second)], take)

    def _means(self, rung: Rung) -> Means:
        assert self.team is not None
        means = self.team.means(rung, self.steps)
        return replace(means, limits=self.rules.limits(), trajectories=self.memory)

    def _task(self, cluster: Cluster, left: dict[str, CIError], base: str) -> AgentTask:
        """What an agent is told about a cluster."""
        errors = tuple(left[i] for i in cluster.error_ids if i in left)
        return AgentTask(
            cluster=cluster.model_copy(update={"error_ids": tuple(e.id for e in errors)}),
            errors=errors,
            contexts=excerpts(cluster, errors, self._shown(base)),
            hint="\n".join(dict.fromkeys(filter(None, (self.hint, *(self.notes.get(e.id) for e in errors))))),
            steps=tuple(dict.fromkeys(check.title for check in self.door.checks))[:MOST_LABELS],
            commands=self.rules.allowed(),
            profile=load_profile(GENERALIST),
        )

    def _without_key(self, clusters: list[Cluster], left: dict[str, CIError]) -> None:
        for cluster in clusters:
            errors = tuple(left[i] for i in cluster.error_ids if i in left)
            dollars = estimate([cluster], errors, self.door.git.view(self.door.integration), self.missing.model)
            self.estimated += dollars
            self.reports += (
                unfixable(
                    errors,
                    "no-key",
                    "nothing that is free cures it, and there is no model key to ask an agent",
                    "the repository's own tools and all fixers",
                    f"Set {self.missing.variable} and try again (`/heal retry`, or `heal run`): about ${dollars:.2f}.",
                ),
            )

    def spending(self) -> Spending:
        """What the models cost, and what those that were not asked would have."""
        spent = self.team.budget.spending if self.team else Spending()
        return spent.model_copy(update={"estimate_dollars": round(self.estimated, 4)})
