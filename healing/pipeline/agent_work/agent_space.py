"""An agent's worktree on disk and in the sandbox, and its access to the verifier."""

import asyncio
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from healing.checks.check import Check, CheckResult
from healing.checks.narrowing.words import simple
from healing.checks.running import clip
from healing.edits.exact import Changes
from healing.git import GitError
from healing.model import Candidate, CIError, Proposal
from healing.pipeline.again import fixed_by_now
from healing.pipeline.agent_work.commands_here import command_like
from healing.policy.unsent import UNSENT_PATH
from healing.repair.agents.territory import Territory
from healing.repair.agents.workspace import PathNotAllowed
from healing.verify.refusing import Refusal
from healing.verify.verdict import Verdict, Withdrawal
from healing.verify.verifier import Verifier
from healing.verify.withdrawing import withdraw
from healing.worktrees import Worktree

OBSERVATION = 10_000  # characters of a check's output that an agent sees
WITHOUT = "(run without the files that are closed to models in this repository; what needs them fails here)"
T = TypeVar("T")


@dataclass
class AgentVerifier:
    """The verifier for edits that were made against the base of the agent's worktree."""

    verifier: Verifier
    space: "AgentSpace"
    who: str
    territory: Territory
    over: bool = False  # the agent has finished
    _own: set[str] = field(default_factory=set)  # ids of fixes that were submitted here

    async def submit(self, candidate: Candidate) -> Verdict:
        """Submits the candidate to the verifier; one that touches another cluster's files has to be proven first."""
        if self.territory.touches_other_clusters(candidate.edits):
            trial_verdict = await self.prove(candidate)
            if not trial_verdict.accepted:
                return trial_verdict
        verdict = await self.verifier.submit(self._marked(candidate), on=self.space.base, who=self.who)
        self._own |= {verdict.proposal.id} if verdict.proposal else set()
        return verdict

    async def withdraw(self, fix_id: str, why: str) -> Withdrawal:
        """Withdraws a fix that was submitted here, as long as its author is at work."""
        if self.over:
            return Withdrawal(done=False, message="the work on these errors is over, and what was accepted is reviewed")
        if fix_id not in self._own:
            return Withdrawal(done=False, message="only the author of a fix can withdraw it")
        self._own.discard(fix_id)
        withdrawal = await withdraw(self.verifier, fix_id, why, self.who)
        self._own |= {replacement.id for old, replacement in withdrawal.replaced.items() if old in self._own}
        return withdrawal

    async def prove(self, candidate: Candidate) -> Verdict:
        """Tests the candidate without accepting it."""
        verdict = await self.verifier.prove(self._marked(candidate), on=self.space.base)
        why = self.territory.why_not_accepted(verdict.proposal) if verdict.proposal else ""
        return Verdict(accepted=False, message=why) if why else verdict

    async def fixed(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Which of these errors accepted fixes have fixed."""
        try:
            return await fixed_by_now(self.verifier, ids)
        except Refusal:  # CI could not build what is accepted: the end of the phase deals with it
            return ()

    def _marked(self, candidate: Candidate) -> Candidate:
        """The candidate with a flag for each file outside of its cluster."""
        return candidate.model_copy(update={"flags": self.territory.notes(candidate.edits)})


@dataclass
class AgentSpace:
    """An agent's worktree (healing.repair.agents.workspace.Workspace) on disk and in the sandbox."""

    verifier: Verifier
    worktree: Worktree
    errors: dict[str, CIError]

    def __post_init__(self) -> None:
        self.base = self.start = self.worktree.tree

    async def read(self, path: str) -> bytes | None:
        self._not_closed(path)
        return await self._confined(lambda: self.worktree.read(path))

    async def write(self, changes: Changes) -> None:
        for path in changes:
            self._not_closed(path)
        await self._confined(lambda: self.worktree.write(changes))

    def _not_closed(self, path: str) -> None:
        if path in self.verifier.unsent:
            raise PathNotAllowed(
                f"{path!r:.80} is closed to models by the repository ({UNSENT_PATH}); work on other files"
            )

    @staticmethod
    async def _confined(act: Callable[[], T]) -> T:
        """Calls `act` in a thread. What the worktree refuses is raised as PathNotAllowed, worded for agents."""
        try:
            return await asyncio.to_thread(act)
        except GitError as refused:
            raise PathNotAllowed(f"{refused}; edit another file") from refused

    async def paths(self) -> tuple[str, ...]:
        paths = self.verifier.git.view(await self.tree()).paths()
        return tuple(path for path in paths if path not in self.verifier.unsent)

    async def tree(self) -> str:
        return await asyncio.to_thread(self.worktree.snapshot)

    async def renew(self) -> None:
        await self._move_to(self.verifier.integration)
        self.start = self.base

    async def take(self, proposal: Proposal) -> bool:
        """Moves the worktree onto this agent's own fix only, without others' accepted fixes: so every replay of the
        run, and a worker that prefetches the cluster elsewhere, sees the same bytes."""
        tree = await asyncio.to_thread(self.verifier.branch.merged_into, self.base, proposal)
        if tree is None:
            return False
        await self._move_to(tree)
        return True

    async def restart(self) -> None:
        await self._move_to(self.start)

    async def _move_to(self, tree: str) -> None:
        changes = {path: new for path, (_, new) in self.verifier.git.changed(self.base, tree).items()}
        await asyncio.to_thread(self.worktree.write, changes, self.verifier.git.modes(tree, changes))
        self.base = tree

    async def run_check(self, error_ids: tuple[str, ...]) -> str:
        """Runs what shows these errors on the worktree as it is; the result is text for the agent."""
        targets = [self.errors[i] for i in error_ids if i in self.errors]
        return await self._run(self.verifier.checks_of(targets)) or "no check shows these errors"

    async def run_step(self, label: str) -> str:
        """Runs the whole steps with that label on the worktree as it is; the result is text for the agent."""
        return await self._run([check for check in self.verifier.checks if check.title == label])

    async def run_command(self, argv: tuple[str, ...], folder: str) -> str:
        """Runs a command where the errors' step runs, after the same set-up and with the same variables. The command of
        a step runs as that step, with its own limits: so agents need no second tool for steps."""
        own = [one for one in self.verifier.checks if one.step.cwd == folder and simple(one.step.run) == list(argv)]
        if own:
            return await self._run(own)
        checks = [*self.verifier.checks_of(self.errors.values()), *self.verifier.checks]
        if not checks:
            return "there is no check here whose environment the command could have"
        return await self._run([command_like(checks[0], f"exec {shlex.join(argv)}", folder)])

    async def _run(self, checks: list[Check]) -> str:
        try:
            built = await self.verifier.built(await self.tree())
        except Refusal as refusal:
            return str(refusal)
        checker, tree = await self.verifier.for_models(built)
        answers = [_answer_of(check, await checker.run(check, tree)) for check in checks]
        return clip("\n\n".join([*[WITHOUT] * (tree != built), *answers]), OBSERVATION)


def _answer_of(check: Check, result: CheckResult) -> str:
    """A check's result as text for an agent."""
    status = f"could not be run here: {result.not_run}" if result.not_run else f"exit code {result.exit_code}"
    return f"$ {check.step.run.strip()}\n{status}\n{result.output.strip()}"
