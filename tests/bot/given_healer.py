"""An engine whose result is given; edits really apply to the files that the local GitHub has."""

from collections.abc import Awaitable, Callable
from typing import Any

from bot.contexts import RepoSite
from handlers.delivery.fixup_plan import file_changes
from handlers.model import Pull, Run, Verified
from handlers.model.repo_policy import RepoPolicy
from healing.edits.exact import EditError, apply_edits, widen
from healing.model import Category, CIError, Edit, NotChecked, Outcome, Proposal, Resolution, content_id

NEAR = Edit(file="a.txt", old_string="line five", new_string="line 5")
FAR = Edit(file="a.txt", old_string="line 17", new_string="line seventeen")


def proposal(edit: Edit, text: bytes, error: str) -> Proposal:
    """A verified fix by one edit of a.txt."""
    wide = widen((edit,), {"a.txt": text}.get)
    return Proposal(
        id=content_id(edit.model_dump()),
        source="fixer:given",
        phase="free",
        title=f"Write {edit.new_string}",
        explanation="It was misspelt.",
        confidence=90,
        error_ids=(error,),
        edits=(edit,),
        wide=wide.wide,
        reverse=wide.reverse,
        evidence=(),
        base_tree="0" * 40,
    )


def outcome(text: bytes) -> Outcome:
    """Two errors: the fix of one lies in the pull request's diff, that of the other does not."""
    fixes = (proposal(NEAR, text, "E1"), proposal(FAR, text, "E2"))
    errors = tuple(
        CIError(id=f"E{n}", tool="spell", category=Category.LINT, file="a.txt", line=line, message="misspelt")
        for n, line in ((1, 5), (2, 17))
    )
    ends = tuple(Resolution(error_id=f.error_ids[0], how=f"fix:{f.id}", proposal_id=f.id) for f in fixes)
    return Outcome(verdict="healed", run_id="r1", errors=errors, proposals=fixes, resolutions=ends)


class GivenHealer:
    """`handlers.model.Healer` with `outcome` for a.txt as it is on the head."""

    def __init__(self, site: RepoSite) -> None:
        self._github = site.github

    async def policy(self, _sha: str, _pull: Any) -> RepoPolicy:
        return RepoPolicy()

    async def heal(self, run: Run, _pull: Any, progress: Callable[[str], Awaitable[None]]) -> Outcome:
        await progress("working")
        return outcome(await self._github.file("a.txt", run.sha) or b"")

    async def try_together(self, pull: Pull, proposals: tuple[Proposal, ...]) -> Verified:
        edits = tuple(edit for proposal in proposals for edit in proposal.wide)
        return await self.try_edits(pull, edits, proposals[0], verify=True)

    async def files(self, sha: str, paths: frozenset[str]) -> dict[str, bytes | None] | None:
        return {path: await self._github.file(path, sha) for path in paths}

    async def carry_over(self, _pull: Pull, _old: Any) -> NotChecked:
        return NotChecked(what="its edits", why="the old text is not there any more")

    async def try_edits(self, pull: Pull, edits: tuple[Edit, ...], fix: Proposal, verify: bool) -> Verified:
        text = await self._github.file("a.txt", pull.head_sha)
        try:
            changes = apply_edits(edits, {"a.txt": text}.get)
        except EditError as error:
            return Verified(ok=False, why=str(error))
        return Verified(ok=True, changes=file_changes(changes, fix, {}))
