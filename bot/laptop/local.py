"""Stored data of a person's own clone: its runs, and its proposals with their status in the files."""

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bot.laptop.clone import OpenClone, opened
from bot.laptop.working_tree import DoesNotFit, WorkingTree
from bot.settings import Settings
from bot.store.repo import RepoStore
from handlers.model import ProposalChange, ProposalStatus, Run, StoredProposal
from healing.edits.exact import Read, modes_of
from healing.edits.presence import Presence, Tracked, anchored, presences
from healing.git import GitError

GONE = "your files no longer have it"
THERE = "your files have it already"
NUMBER = 0  # a laptop's proposals belong to no pull request


@dataclass
class LocalRepo(OpenClone):
    """A clone with its stored runs and proposals."""

    @cached_property
    def store(self) -> RepoStore:
        """The store of this clone's runs and proposals."""
        return RepoStore(self.database, self.repo_id, str(self.root), self.now)

    def states(self, stored: tuple[StoredProposal, ...]) -> dict[str, Presence]:
        """Returns whether each of these proposals is in the files, by proposal id."""
        tracked = {
            item.proposal.id: Tracked(
                item.proposal, "applied" if item.status == "applied" else "absent", self.reference(item)
            )
            for item in stored
        }
        return presences(tuple(tracked), tracked, self._readable)

    def unmet(self, item: StoredProposal, stored: tuple[StoredProposal, ...]) -> tuple[str, ...]:
        """Returns the ids of the fixes that this one was made on top of, and that are not in the files."""
        needed = tuple(one for one in stored if one.proposal.id in item.proposal.needs)
        states = self.states(needed)
        absent = (one.proposal.id for one in needed if one.status != "applied")
        return tuple(id_ for id_ in absent if states[id_].state != "applied")

    def _readable(self, path: str) -> bytes | None:
        try:
            return WorkingTree(self.root).read(path)
        except DoesNotFit:
            return None

    def reference(self, item: StoredProposal) -> Read | None:
        """Returns a reader of the proposal's files as they were when it was known whether it is applied; None if git no
        longer has them, as in a clone that was deleted and made again."""
        edits = (*item.proposal.wide, *item.proposal.reverse)
        try:
            read = self.git.view(item.reference or item.proposal.base_tree).read
            return {edit.file: read(edit.file) for edit in edits}.get
        except GitError:
            return None

    def anchored(self, item: StoredProposal) -> StoredProposal:
        """Returns the proposal with the current files as its reference, if they show whether it is applied."""
        presence = self.states((item,))[item.proposal.id]
        proposal = anchored(item.proposal, presence.state, self._readable, presence.turned)
        if proposal is None:
            return item
        touched = {edit.file: self._readable(edit.file) for edit in proposal.wide}
        try:
            tree = self.git.write_tree(proposal.base_tree, touched, modes_of(proposal.edits))
        except GitError:
            return item
        return item.model_copy(update={"proposal": proposal, "reference": tree})

    async def refreshed(self) -> tuple[StoredProposal, ...]:
        """Returns all proposals of this clone, after updating their status from the files, which git and editors change
        too. Files of a branch that never had the commit with the error don't count as fixed: nobody fixed them."""
        stored = await self.proposals()
        states = self.states(stored)
        elsewhere = await self.of_other_branches(stored)
        for item in stored:
            state = states[item.proposal.id].state
            if state == "absent" and item.status == "applied":
                await self.mark(self.anchored(item), "rolled-back", GONE, only=("applied",))
            # Without what it was made on top of, lines that look like its result are what was there before.
            taken = state == "applied" and item.proposal.id not in elsewhere and not self.unmet(item, stored)
            if taken and item.status in ("pending", "rolled-back", "outdated"):
                await self.mark(self.anchored(item), "applied", THERE, only=(item.status,))
        return await self.proposals()

    async def of_other_branches(self, stored: tuple[StoredProposal, ...]) -> frozenset[str]:
        """Returns the ids of those proposals that were found on a commit that the branch checked out now never had."""
        commits = {run.run_id: run.sha for run in await self.store.runs(NUMBER)}
        found_on = {item.proposal.id: commits.get(item.run_id) for item in stored}
        foreign = {sha for sha in set(found_on.values()) if sha is not None and not self.git.was_here(self.root, sha)}
        return frozenset(ident for ident, sha in found_on.items() if sha in foreign)

    async def proposals(self) -> tuple[StoredProposal, ...]:
        """Returns all proposals of this clone, oldest first."""
        return await self.store.proposals(NUMBER)

    async def mark(
        self, item: StoredProposal, status: ProposalStatus, reason: str = "", only: tuple[ProposalStatus, ...] = ()
    ) -> None:
        """Saves a proposal's status, and its edits, which may have been re-anchored."""
        change: ProposalChange = {"status": status, "reason": reason, "proposal": item.proposal}
        await self.store.update_proposal(item, {**change, "reference": item.reference}, only=only or (item.status,))

    async def newest_run(self) -> Run | None:
        """Returns the run on the commit at HEAD if there is one, else the newest run on this clone."""
        at_head = await self.store.run((await self.code()).head, 1)
        return at_head or next(iter(await self.store.runs(NUMBER)), None)


def local_repo(
    path: Path, settings: Settings, now: Callable[[], float] = time.time, command: str = ""
) -> AbstractAsyncContextManager[LocalRepo]:
    """Opens the clone around `path`; `command` is the one that the person typed, if any. Raises UserError if there is
    no clone, or on errors of git or Heal's own data."""
    return opened(LocalRepo, path, settings, now, command)
