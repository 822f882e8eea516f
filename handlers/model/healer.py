"""The engine behind one small door."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from handlers.model.page import Pull
from handlers.model.plans import FileChange
from handlers.model.repo_policy import RepoPolicy
from handlers.model.stored import Run, StoredProposal
from healing.model import Edit, Frozen, NotChecked, Outcome, Proposal


class Verified(Frozen):
    """What became of a change that was tried on a head: `changes` are the new files."""

    ok: bool
    why: str = ""
    changes: tuple[FileChange, ...] = ()


class Setting(Frozen):
    """A key of `.github/heal.yml` with the value that holds, as JSON; `given`: the file says so."""

    key: str
    value: str
    given: bool


class Settings(Frozen):
    """What holds for a pull request, and what is wrong with the file on its base branch."""

    settings: tuple[Setting, ...]
    problems: tuple[str, ...] = ()


class Healer(Protocol):
    """The engine as the conversation sees it: git, worktrees, sandbox and models behind one small door."""

    async def heal(self, run: Run, pull: Pull | None, progress: Callable[[str], Awaitable[None]]) -> Outcome: ...
    async def policy(self, sha: str, pull: Pull | None) -> RepoPolicy:
        """What the repository wants of Heal, as the pull request's base branch says; without one, as the commit
        does."""
        ...

    async def settings(self, pull: Pull, of_head: bool = False) -> Settings:
        """What `.github/heal.yml` on the pull request's base branch says; `of_head`: what the one on its head would say
        if it were merged."""
        ...

    async def carry_over(self, pull: Pull, old: StoredProposal) -> Proposal | NotChecked:
        """The proposal re-anchored on the pull request's head and verified there without a model, or why not."""
        ...

    async def try_edits(self, pull: Pull, edits: tuple[Edit, ...], proposal: Proposal, verify: bool) -> Verified:
        """Applies edits to the head's tree; with `verify` also runs the proposal's checks there."""
        ...

    async def try_together(self, pull: Pull, proposals: tuple[Proposal, ...]) -> Verified:
        """Runs the checks of fixes that were tested together on the head with all of them; gives no files."""
        ...

    async def files(self, sha: str, paths: frozenset[str]) -> dict[str, bytes | None] | None:
        """These files at a commit or tree; None where it is gone for good (thrown away by a push by force)."""
        ...
