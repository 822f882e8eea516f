"""`heal apply`: applies fixes to the working tree. The code that it shares with `heal rollback` is here too."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bot.cli.clone import open_clone
from bot.cli.options import HERE, AsJson, Clone, Proposals
from bot.cli.printing import status_word
from bot.cli.proposals import chosen
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, put, put_json, wait_for

if TYPE_CHECKING:
    from bot.laptop.local import LocalRepo
    from handlers.model import ProposalStatus, Run, StoredProposal
    from healing.model import Proposal


def apply(idents: Proposals, repo: Clone = HERE, as_json: AsJson = False) -> int:
    """Apply fixes to your files (`all`: what the newest run found). `heal rollback` reverts them.

    `all` leaves out what changes tests or checks, and what was tested on top of it. Exit code 1: one was refused, or
    all were left out.

    Example: heal apply 3f2a 77b1
    """
    return wait_for(apply_or_revert(idents, repo, as_json, "applied"))


class ApplyResult(NamedTuple):
    """The result for one fix: `why` it was refused, or a `note` that is printed after its new status."""

    why: str = ""
    note: str = ""

    def text(self, status: "ProposalStatus") -> str:
        """For people."""
        return f"refused: {self.why}. Nothing was changed" if self.why else f"{status_word(status)}{self.note}"


async def apply_or_revert(idents: list[str], path: Path, as_json: bool, status: "ProposalStatus") -> int:
    """Applies or reverts each fix, in the files and in the store, and returns the exit code. Raises UserError."""
    failed = 0
    async with open_clone(path) as repo:
        stored = await repo.refreshed()
        selection = _AllSelection(stored, await repo.newest_run(), await repo.of_other_branches(stored))
        wanted = selection.wanted(status) if idents == ["all"] else [chosen(stored, ident) for ident in idents]
        for one in wanted:
            result = await apply_or_revert_one(repo, one, status)
            failed += bool(result.why)
            if as_json:
                put_json({"id": one.proposal.id, "status": one.status if result.why else status, "why": result.why})
            else:
                put(f"{one.proposal.id}  {result.text(status)}")
        left_out = tuple(selection.left_out(status)) if idents == ["all"] else ()
        for one, why in left_out:
            if as_json:
                put_json({"id": one.proposal.id, "status": one.status, "why": f"left out, because {why}"})
            else:
                put(f"{one.proposal.id}  left out, because {why}")
        if not wanted and not as_json:
            left = "left to apply" if status == "applied" else "in your files"
            put("Nothing was changed" if left_out else f"nothing to do: no fix is {left}. See: heal list")
    undone = bool(left_out) and not wanted and status == "applied"  # a person still has to look at all of them
    return EXIT_ERRORS_LEFT if failed or undone else EXIT_HEALTHY


@dataclass(frozen=True)
class _AllSelection:
    """The fixes that `all` stands for: those of the clone's newest run, which were tested on the code as it was then.

    An earlier fix may be for another branch, and nothing shows that it is right for the files as they are now."""

    stored: "tuple[StoredProposal, ...]"
    newest: "Run | None"
    elsewhere: frozenset[str]  # ids of fixes that were found on other branches

    def wanted(self, status: "ProposalStatus") -> "list[StoredProposal]":
        """The fixes to apply, in the order in which they were made, without those that are held back; or the fixes to
        revert, the last one first, without those that a person applied with git or an editor, or that were
        applied on another branch."""
        if status == "applied":
            return [one for one in self._open() if self._is_new(one) and one.proposal.id not in self._held]
        applied = [one for one in reversed(self.stored) if one.status == "applied" and not _was_applied_by_person(one)]
        return [one for one in applied if one.proposal.id not in self.elsewhere]

    def left_out(self, status: "ProposalStatus") -> "Iterator[tuple[StoredProposal, str]]":
        """The fixes that `all` does not include, and why."""
        for one in self._open() if status == "applied" else ():
            id_, cause = one.proposal.id, self._held.get(one.proposal.id)
            if cause == one.proposal:
                yield one, f"it changes the {cause.touches}. To apply it: heal apply {id_[:8]}"
            elif cause is not None:
                both = f"heal apply {cause.id[:8]} {id_[:8]}"
                yield one, f"it was tested on top of a fix that changes the {cause.touches}. To apply both: {both}"
            elif not self._is_new(one):
                yield one, f"the newest run didn't find it. To apply it: heal apply {id_[:8]}"
        for one in self.stored if status == "rolled-back" else ():
            id_ = one.proposal.id
            if one.status == "applied" and id_ in self.elsewhere:
                yield one, "it was found on another branch"
            elif one.status == "applied" and _was_applied_by_person(one):
                yield one, f"heal apply didn't bring it. To revert it: heal rollback {id_[:8]}"

    @cached_property
    def _held(self) -> "dict[str, Proposal]":
        from bot.laptop.held_back import held_back

        return held_back(one.proposal for one in self._open())

    def _open(self) -> "list[StoredProposal]":
        return [one for one in self.stored if one.status in ("pending", "rolled-back")]

    def _is_new(self, item: "StoredProposal") -> bool:
        """Whether the newest run found it, even if another run on the same code stored it. A run of another command on
        the same code has the same id, so its outcome decides."""
        if self.newest is None:
            return True
        outcome = self.newest.outcome
        if outcome is None:
            return item.run_id == self.newest.run_id
        return any(item.proposal.id == found.id for found in outcome.proposals)


def _was_applied_by_person(item: "StoredProposal") -> bool:
    """Whether a person made the fix's change with git or an editor, and may have built on it since."""
    from bot.laptop.local import THERE

    return item.reason == THERE


async def apply_or_revert_one(
    repo: "LocalRepo", item: "StoredProposal", status: "ProposalStatus", reason: str = ""
) -> ApplyResult:
    """Applies or reverts one fix and stores its status. If the result has a `why`, nothing was changed."""
    from bot.laptop.working_tree import DoesNotFit, WorkingTree

    tree = WorkingTree(repo.root)
    state = repo.states((item,))[item.proposal.id].state
    unmet = repo.unmet(item, await repo.proposals()) if status == "applied" else ()
    if status == "applied" and state == "applied" and not unmet:
        if item.status == "applied":
            await repo.mark(repo.anchored(item), "applied", item.reason)
        return ApplyResult(note=": your files have it already")
    if status == "rolled-back" and state == "absent":
        if item.status != "rolled-back":
            return ApplyResult(f"it is {status_word(item.status)}, and your files don't have it")
        return ApplyResult(note=f": your files don't have it. Apply it again: heal apply {item.proposal.id[:8]}")
    if status == "rolled-back" and state == "applied" and await repo.of_other_branches((item,)):
        return ApplyResult("it was found on another branch, and your files never had its error: that would bring it in")
    if state == "unclear":
        return ApplyResult(f"your files fit both with and without it; look: heal show {item.proposal.id[:8]}")
    try:
        if status == "applied":
            item = item.model_copy(update={"proposal": tree.apply(item.proposal)})
        else:
            tree.revert(item.proposal, repo.reference(item))
    except DoesNotFit as error:
        first = " ".join(id_[:8] for id_ in unmet)
        return ApplyResult(f"it was made on top of others. First: heal apply {first}" if unmet else str(error))
    await repo.mark(repo.anchored(item), status, reason)
    return ApplyResult()
