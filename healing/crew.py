"""The paid phases: each cluster gets an agent in a worktree of its own; all their fixes go through the one door.

Without a model every cluster is reported with what asking one would have cost (LM-7).
"""

import asyncio
import logging
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from healing.agents.contexts import excerpts
from healing.agents.docs import Docs
from healing.agents.estimate import estimate
from healing.agents.loop import run_agent
from healing.agents.means import Means
from healing.agents.profiles import load_profile
from healing.agents.rules import AgentRules
from healing.agents.task import AgentTask
from healing.agents.workspace import Verdict
from healing.baseline import unfixable
from healing.checks.check import Check, CheckResult, Script
from healing.checks.running import clip
from healing.door import Door, Refusal
from healing.edits import Changes
from healing.llm.budget import Budget
from healing.llm.protocol import Model
from healing.model import Candidate, CIError, Cluster, Spending, Unfixable
from healing.steps import Steps
from healing.worktrees import Worktree

AT_ONCE = {"fast": 8, "slow": 4}  # agents (AG-7)
OBSERVATION = 10_000  # characters of a check's output that an agent sees
COMMAND_SECONDS = 120
MOST_LABELS = 50  # steps that an agent is told of

log = logging.getLogger("heal.crew")


@dataclass
class Team:
    """The models that agents ask, the one budget that they share, and documentation where the operator has some."""

    model: Model
    budget: Budget
    docs: Docs | None = None


@dataclass
class Crew:
    """The agents of one run. `reports` collects why errors are left."""

    door: Door
    team: Team | None
    steps: Steps
    progress: Callable[[str], Awaitable[None]]
    hint: str = ""
    rules: AgentRules = field(default_factory=AgentRules)
    notes: dict[str, str] = field(default_factory=dict)  # error id → what an agent on it should know
    reports: tuple[Unfixable, ...] = ()
    estimated: float = 0.0

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
        gate = asyncio.Semaphore(AT_ONCE[todo[0].phase])
        base = self.door.integration

        async def one(number: int, cluster: Cluster) -> None:
            async with gate:
                await self._contained(number, cluster, left, base)

        async with asyncio.TaskGroup() as group:
            for number, cluster in enumerate(todo):
                group.create_task(one(number, cluster))

    async def _contained(self, number: int, cluster: Cluster, left: dict[str, CIError], base: str) -> None:
        """One agent whose mistakes stay its own (AG-9). Cancellation is no Exception: it still ends the whole run."""
        try:
            await self._agent(number, cluster, left, base)
        except Exception as error:  # the one place where what nobody foresaw is caught: others' work must not be lost
            log.exception("an agent broke off", extra={"run_id": self.door.checker.run_id, "cluster": cluster.id})
            settled = {i for proposal in self.door.accepted for i in proposal.error_ids}
            errors = tuple(left[i] for i in cluster.error_ids if i in left and i not in settled)
            if errors:
                self.reports += (self._broken(errors, error),)

    def _broken(self, errors: tuple[CIError, ...], error: Exception) -> Unfixable:
        return unfixable(
            errors,
            "internal",
            f"something went wrong inside Heal ({type(error).__name__}), and it is not your fault: sorry",
            "an agent was at work on it when that happened; the other agents went on",
            f"Retry in a while; if it stays, show the operator this, for Heal's log: run {self.door.checker.run_id}.",
        )

    async def _agent(self, number: int, cluster: Cluster, left: dict[str, CIError], base: str) -> None:
        assert self.team is not None
        checker = self.door.checker
        errors = tuple(left[i] for i in cluster.error_ids if i in left)
        task = AgentTask(
            cluster=cluster.model_copy(update={"error_ids": tuple(e.id for e in errors)}),
            errors=errors,
            contexts=excerpts(cluster, errors, checker.git.view(base)),
            hint="\n".join(dict.fromkeys(filter(None, (self.hint, *(self.notes.get(e.id) for e in errors))))),
            steps=tuple(dict.fromkeys(check.title for check in self.door.checks))[:MOST_LABELS],
            commands=self.rules.allowed(),
            profile=load_profile("generalist"),
        )
        name = f"agent-{cluster.phase}-{number}"
        async with checker.worktrees.worktree(checker.run_id, name, checker.git, base, layered=True) as worktree:
            space = AgentSpace(self.door, worktree, {e.id: e for e in errors})
            door, team = AgentDoor(self.door, space, name), self.team
            async with self.door.branch.working(name):
                result = await run_agent(task, space, door, Means(team.model, self.steps, team.budget, team.docs))
        self.reports += result.unfixables

    def _without_key(self, clusters: list[Cluster], left: dict[str, CIError]) -> None:
        for cluster in clusters:
            errors = tuple(left[i] for i in cluster.error_ids if i in left)
            dollars = estimate([cluster], errors, self.door.git.view(self.door.integration))
            self.estimated += dollars
            self.reports += (
                unfixable(
                    errors,
                    "no-key",
                    "nothing that is free cures it, and there is no model key to ask an agent",
                    "the repository's own tools and all fixers",
                    f"Set ANTHROPIC_API_KEY and try again (`/heal retry`, or `heal run`): about ${dollars:.2f}.",
                ),
            )

    def spending(self) -> Spending:
        """What the models cost, and what those that were not asked would have."""
        spent = self.team.budget.spending if self.team else Spending()
        return spent.model_copy(update={"estimate_dollars": round(self.estimated, 4)})


@dataclass
class AgentDoor:
    """The door for edits that were made against the base of the agent's worktree."""

    door: Door
    space: "AgentSpace"
    who: str

    async def submit(self, candidate: Candidate) -> Verdict:
        """Puts the candidate through the door."""
        return await self.door.submit(candidate, on=self.space.base, who=self.who)


@dataclass
class AgentSpace:
    """An agent's worktree (healing.agents.workspace.Workspace) on disk and in the sandbox."""

    door: Door
    worktree: Worktree
    errors: dict[str, CIError]

    def __post_init__(self) -> None:
        self.base = self.worktree.tree

    async def read(self, path: str) -> bytes | None:
        return await asyncio.to_thread(self.worktree.read, path)

    async def write(self, changes: Changes) -> None:
        await asyncio.to_thread(self.worktree.write, changes)

    async def paths(self) -> tuple[str, ...]:
        return self.door.git.view(await self.tree()).paths()

    async def tree(self) -> str:
        return await asyncio.to_thread(self.worktree.snapshot)

    async def renew(self) -> None:
        now = self.door.integration
        changes = {path: new for path, (_, new) in self.door.git.changed(self.base, now).items()}
        await asyncio.to_thread(self.worktree.write, changes, self.door.git.modes(now, changes))
        self.base = now

    async def run_check(self, error_ids: tuple[str, ...]) -> str:
        """Runs what shows these errors on the worktree as it is, as text for the agent."""
        targets = [self.errors[i] for i in error_ids if i in self.errors]
        return await self._run(self.door.checks_of(targets)) or "no check shows these errors"

    async def run_step(self, label: str) -> str:
        """Runs the whole steps of that label on the worktree as it is, as text for the agent."""
        return await self._run([check for check in self.door.checks if check.title == label])

    async def run_command(self, argv: tuple[str, ...], folder: str) -> str:
        """Runs a command where the errors' step runs, after the same set-up and with the same variables."""
        checks = [*self.door.checks_of(self.errors.values()), *self.door.checks]
        if not checks:
            return "there is no check here whose environment the command could have"
        step, like = Script(name="command", run=f"exec {shlex.join(argv)}", cwd=folder, shell=""), checks[0]
        step = step.model_copy(update={"env": like.step.env})
        return await self._run([like.model_copy(update={"step": step, "seconds": COMMAND_SECONDS})])

    async def _run(self, checks: list[Check]) -> str:
        try:
            built = await self.door.built(await self.tree())
        except Refusal as refusal:
            return str(refusal)
        said = [_told(check, await self.door.checker.run(check, built)) for check in checks]
        return clip("\n\n".join(said), OBSERVATION)


def _told(check: Check, result: CheckResult) -> str:
    """What a run said, as an agent reads it."""
    ended = f"could not be run here: {result.unlooked}" if result.unlooked else f"exit code {result.exit_code}"
    return f"$ {check.step.run.strip()}\n{ended}\n{result.output.strip()}"
