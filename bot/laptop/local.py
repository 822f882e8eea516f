"""Heal on a laptop: the same engine and store on a person's own clone; nothing there changes until `heal apply`."""

import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bot.laptop.clone import Code, OpenClone, opened
from bot.laptop.working_tree import DoesNotFit, WorkingTree
from bot.repo_config import CONFIG_PATH, read_repo_config
from bot.runs.recording import keep
from bot.settings import Settings
from bot.store.repo import RepoStore
from handlers.model import ProposalChange, ProposalStatus, Run, StoredProposal
from healing.checks.canary import INSTALL_ITSELF
from healing.checks.check import Check
from healing.checks.running import Checker
from healing.edits.exact import Read
from healing.edits.presence import Presence, Tracked, anchored, presences
from healing.failed_jobs import FailedJob, Trees
from healing.git import GitError, NotEditable
from healing.model import NotChecked, Outcome
from healing.pipeline.failure import Failure
from healing.pipeline.pipeline import Tools, heal
from healing.policy.unsent import Unsent
from healing.repair.agents.profiles import of_repository
from healing.verify.applying import modes_of

GONE = "your files no longer have it"
THERE = "your files have it already"
NUMBER = 0  # a laptop's proposals belong to no pull request
Say = Callable[[str], Awaitable[None]]


@dataclass
class LocalRepo(OpenClone):
    """A clone that is healed: `store` is what Heal remembers of it."""

    @cached_property
    def store(self) -> RepoStore:
        """Runs and proposals of this clone."""
        return RepoStore(self.database, self.repo_id, str(self.root), self.now)

    async def believed(self, code: Code, checks: tuple[Check, ...], checker: Checker, outcome: Outcome) -> Outcome:
        """The outcome; where it found nothing wrong, only with checks that are shown to read these files."""
        if outcome.errors or outcome.not_looked:
            return outcome
        results = [await self.proven(one, await checker.run(one, code.tree), checker, code) for one in checks]
        doubts = tuple(
            NotChecked(what=check.title, why=result.problem, advice=INSTALL_ITSELF)
            for check, result in zip(checks, results, strict=True)
            if result.problem
        )
        return outcome.model_copy(update={"not_looked": doubts, "verdict": "could-not-look"}) if doubts else outcome

    def failure(self, code: Code, checks: tuple[Check, ...], log: bytes | None = None) -> Failure:
        """The working tree as the engine sees it; what this change did shows against the commit that it starts from,
        committed or not."""
        jobs = (FailedJob("log", None, (), log),) if log is not None else ()
        read = read_repo_config(self.view(code).read(CONFIG_PATH))
        config = read.config
        committed = self.git.tree_of(code.base) if self.git.has(code.base) else code.tree
        before = committed if committed != code.tree else None
        return Failure(
            run_id=code.run_id,
            commit=code.head,
            trees=Trees(code.tree, code.tree, merge_base=before),
            changed_files=self._changed(before, code.tree),
            jobs=jobs,
            checks=checks,
            matchers=self.matchers(code),
            base_view_tree=before,
            agents=config.agents,
            specialists=of_repository(self.view(code).paths(), self.view(code).read)[0],
            policy=read.fix_policy(),
            autofix=config.autofix,
            unsent=Unsent.of(self.view(code).read),
            search=config.search,
            environment=self.engine.environment,
        )

    def _changed(self, before: str | None, after: str) -> frozenset[str]:
        try:
            return frozenset(self.git.changed(before, after)) if before else frozenset()
        except NotEditable:  # a link or a submodule changed
            return frozenset()

    async def heal(self, code: Code, failure: Failure, checker: Checker, say: Say, overnight: bool = False) -> Outcome:
        """Heals and keeps run and proposals in the local store. `overnight`: models may be asked in batches."""
        models = self.engine.models.under(failure.agents)
        async with models.model_set(self.store, code.run_id, None, overnight) as model_set:
            memory = self.store.memory(code.run_id)
            await keep(self.steps(code), failure)
            tools = Tools(
                self.git,
                self.steps(code),
                checker,
                model_set,
                time.monotonic,
                say,
                memory=memory,
                missing=models.missing,
            )
            outcome = await heal(failure, tools)
        run = Run(
            repo_id=self.store.repo_id,
            full_name=str(self.root),
            installation_id=0,
            sha=code.head,
            attempt=1,
            number=NUMBER,
            state="done",
            run_id=code.run_id,
            outcome=outcome,
        )
        await self.store.save_run(run)
        await self._outdate(code)
        about = {"run_id": code.run_id, "attempt": 1, "number": NUMBER, "status": "pending", "reference": code.tree}
        made = tuple(StoredProposal.model_validate({"proposal": p, **about}) for p in outcome.proposals)
        await self.store.save_proposals(made)
        for one in made:  # found again in the files as they are: it can be taken again
            await self.store.update_proposal(one, {"status": "pending", "reason": ""}, only=("rolled-back", "outdated"))
        return outcome

    async def _outdate(self, code: Code) -> None:
        """Pending proposals of earlier code whose lines were edited are put away."""
        stored = await self.refreshed()
        states = self.states(stored)
        for one in stored:
            if one.status == "pending" and one.run_id != code.run_id and states[one.proposal.id].state == "edited":
                await self.mark(one, "outdated")

    def states(self, stored: tuple[StoredProposal, ...]) -> dict[str, Presence]:
        """Whether the files have each of these proposals, by their ids."""
        tracked = {
            one.proposal.id: Tracked(
                one.proposal, "applied" if one.status == "applied" else "absent", self.reference(one)
            )
            for one in stored
        }
        return presences(tuple(tracked), tracked, self._readable)

    def _readable(self, path: str) -> bytes | None:
        try:
            return WorkingTree(self.root).read(path)
        except DoesNotFit:
            return None

    def reference(self, one: StoredProposal) -> Read | None:
        """The files at which it is known whether a proposal is applied; None where they are no longer kept."""
        try:
            return self.git.view(one.reference or one.proposal.base_tree).read
        except GitError:
            return None

    def anchored(self, one: StoredProposal) -> StoredProposal:
        """The proposal with the files as they are now for its reference, where its text says there how it stands."""
        found = self.states((one,))[one.proposal.id]
        proposal = anchored(one.proposal, found.state, self._readable, found.turned)
        if proposal is None:
            return one
        touched = {edit.file: self._readable(edit.file) for edit in proposal.wide}
        try:
            tree = self.git.write_tree(proposal.base_tree, touched, modes_of(proposal.edits))
        except GitError:
            return one
        return one.model_copy(update={"proposal": proposal, "reference": tree})

    async def refreshed(self) -> tuple[StoredProposal, ...]:
        """All proposals of this clone, each with what the files say of it: git and editors change them too."""
        stored = await self.proposals()
        states = self.states(stored)
        for one in stored:
            state = states[one.proposal.id].state
            if state == "absent" and one.status == "applied":
                await self.mark(self.anchored(one), "rolled-back", GONE, only=("applied",))
            elif state == "applied" and one.status in ("pending", "rolled-back", "outdated"):
                await self.mark(self.anchored(one), "applied", THERE, only=(one.status,))
        return await self.proposals()

    async def proposals(self) -> tuple[StoredProposal, ...]:
        """All of this clone, the oldest first."""
        return await self.store.proposals(NUMBER)

    async def mark(
        self, one: StoredProposal, status: ProposalStatus, reason: str = "", only: tuple[ProposalStatus, ...] = ()
    ) -> None:
        """Notes what became of a proposal, and the proposal as it stands now: it may have been anchored again."""
        change: ProposalChange = {"status": status, "reason": reason, "proposal": one.proposal}
        await self.store.update_proposal(one, {**change, "reference": one.reference}, only=only or (one.status,))

    async def newest_run(self) -> Run | None:
        """The newest run on this clone: that on the commit at HEAD, where there is one."""
        here = await self.store.run((await self.code()).head, 1)
        return here or next(iter(await self.store.runs(NUMBER)), None)


def local_repo(
    path: Path, settings: Settings, now: Callable[[], float] = time.time, command: str = ""
) -> AbstractAsyncContextManager[LocalRepo]:
    """Opens the clone around `path`; `command` is the one that the person typed, if any. Raises UserError where there
    is none, or where git or Heal's own data fail."""
    return opened(LocalRepo, path, settings, now, command)
