"""What Heal remembers of a person's own clone: its runs, and its proposals as they stand in the files."""

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
    """A clone that was healed: `store` is what Heal remembers of it."""

    @cached_property
    def store(self) -> RepoStore:
        """Runs and proposals of this clone."""
        return RepoStore(self.database, self.repo_id, str(self.root), self.now)

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
