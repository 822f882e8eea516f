"""The handlers' interface to the engine."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from handlers.model.page import Pull
from handlers.model.plans import FileChange
from handlers.model.repo_policy import RepoPolicy
from handlers.model.stored import Run, StoredProposal
from healing.model import Edit, Frozen, NotChecked, Outcome, Proposal


class Verified(Frozen):
    """The result of testing a change on a head: `changes` are the changed files."""

    ok: bool
    why: str = ""
    changes: tuple[FileChange, ...] = ()


class Setting(Frozen):
    """A key of `.github/heal.yml` with its effective value, as JSON; `given`: the file sets it."""

    key: str
    value: str
    given: bool


class Settings(Frozen):
    """The effective settings for a pull request, and the errors in the file on its base branch."""

    settings: tuple[Setting, ...]
    problems: tuple[str, ...] = ()


class Healer(Protocol):
    """The engine as handlers use it, with git, worktrees, sandbox and models behind it."""

    async def heal(self, run: Run, pull: Pull | None, progress: Callable[[str], Awaitable[None]]) -> Outcome: ...
    async def policy(self, sha: str, pull: Pull | None) -> RepoPolicy:
        """Returns the repository's policy from the pull request's base branch; without a pull request, from the
        commit."""
        ...

    async def settings(self, pull: Pull, of_head: bool = False) -> Settings:
        """Returns the settings of `.github/heal.yml` on the pull request's base branch; `of_head`: those of its head,
        as if it were merged."""
        ...

    async def carry_over(self, pull: Pull, old: StoredProposal) -> Proposal | NotChecked:
        """Returns the proposal, re-anchored on the pull request's head and verified there without a model, or why that
        is impossible."""
        ...

    async def try_edits(self, pull: Pull, edits: tuple[Edit, ...], proposal: Proposal, verify: bool) -> Verified:
        """Applies edits to the head's tree; with `verify` also runs the proposal's checks there."""
        ...

    async def try_together(self, pull: Pull, proposals: tuple[Proposal, ...]) -> Verified:
        """Runs the fixes' checks on the head with all of them applied; returns no files."""
        ...

    async def files(self, sha: str, paths: frozenset[str]) -> dict[str, bytes | None] | None:
        """Returns these files at a commit or tree; None if it no longer exists (removed by a force push)."""
        ...
