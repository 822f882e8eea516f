"""An engine whose result is given; edits really apply."""

from collections.abc import Awaitable, Callable

from handlers.delivery.fixup_plan import file_changes
from handlers.model import Pull, Run, Setting, Settings, StoredProposal, Verified
from handlers.model.repo_policy import RepoPolicy
from healing.edits.exact import EditError, Read, apply_edits, edits_between, widen
from healing.model import (
    Edit,
    NotChecked,
    Outcome,
    Proposal,
)
from tests.handlers.hub import MemoryHub
from tests.handlers.rows import MemoryStore


class MemoryHealer:
    """An engine whose result is given; edits really apply, and a change verifies unless a file says BROKEN."""

    def __init__(self, hub: MemoryHub) -> None:
        self.hub = hub
        self.outcome = Outcome(verdict="not-healed", run_id="run1")
        self.healed: list[Run] = []
        self.while_verifying: Callable[[], Awaitable[object]] | None = None
        self.wants = RepoPolicy()
        self.problems: tuple[str, ...] = ()
        self.pauses: int | None = None  # somebody says pause before the how manieth sentence of progress
        self.before_step: Callable[[int], Awaitable[object]] | None = None  # what somebody does meanwhile
        self.stops = False  # it is the operator who says stop then
        self.store: MemoryStore | None = None
        self.while_healing: list[str] = []  # what happens meanwhile: `push`, `close`, `main by force`

    async def heal(self, run: Run, pull: Pull | None, progress: Callable[[str], Awaitable[None]]) -> Outcome:
        for step in range(3):
            if self.pauses == step and self.store is not None:
                if self.stops:
                    self.store.stop = "the operator stopped Heal everywhere."
                else:
                    await self.store.pause(5, "ada")
            if self.before_step is not None:
                await self.before_step(step)
            if step < 2:
                await progress(f"step {step}")
        self.healed.append(run)
        for happening in self.while_healing:
            if happening == "main by force":
                self.hub.branches["main"] = self.hub.commit({}, "by force")
                self.hub.thrown_away.add(run.sha)
                continue
            assert pull is not None
            if happening == "push":
                files = self.hub.commits[pull.head_sha][0]
                self.hub.push(pull.number, {**files, "other.txt": b"new\n"})
            else:
                self.hub.pulls[pull.number] = pull.model_copy(update={"state": "closed"})
        return self.outcome

    async def policy(self, sha: str, pull: Pull | None) -> RepoPolicy:
        return self.wants

    async def settings(self, pull: Pull, of_head: bool = False) -> Settings:
        return Settings(settings=(Setting(key="verify", value='"ci"', given=True),), problems=self.problems)

    async def carry_over(self, pull: Pull, old: StoredProposal) -> Proposal | NotChecked:
        happens, self.while_verifying = self.while_verifying, None
        if happens is not None:
            await happens()
        read = self._read(pull)
        for edits in (old.proposal.wide, old.proposal.edits):
            try:
                changes = apply_edits(edits, read)
            except EditError:
                continue
            if not _sound(changes):
                return NotChecked(what="its check", why="it is red on the new head")
            minimal = tuple(e for path, new in sorted(changes.items()) for e in edits_between(path, read(path), new))
            wide = widen(minimal, read)
            update = {"edits": minimal, "wide": wide.wide, "reverse": wide.reverse, "id": "renamed"}
            return old.proposal.model_copy(update=update)
        return NotChecked(what="its edits", why="the old text is not there any more")

    async def try_edits(self, pull: Pull, edits: tuple[Edit, ...], proposal: Proposal, verify: bool) -> Verified:
        try:
            changes = apply_edits(edits, self._read(pull))
        except EditError as error:
            return Verified(ok=False, why=str(error))
        if verify and not _sound(changes):
            return Verified(ok=False, why="the check is red with it")
        return Verified(ok=True, changes=file_changes(changes, proposal, {"run.sh": "100755"}))

    async def try_together(self, pull: Pull, proposals: tuple[Proposal, ...]) -> Verified:
        edits = tuple(edit for proposal in proposals for edit in proposal.wide)
        return await self.try_edits(pull, edits, proposals[0], verify=True)

    async def files(self, sha: str, paths: frozenset[str]) -> dict[str, bytes | None] | None:
        if sha not in self.hub.commits or sha in self.hub.lost:
            return None
        return {path: self.hub.commits[sha][0].get(path) for path in paths}

    def _read(self, pull: Pull) -> Read:
        return self.hub.commits[pull.head_sha][0].get


def _sound(changes: dict[str, bytes | None]) -> bool:
    return all(b"BROKEN" not in (data or b"") for data in changes.values())
