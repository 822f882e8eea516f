"""Tests a fix again on the current head, and computes the files to commit."""

from typing import NamedTuple

from handlers.acceptance.tested_together import TestedTogether
from handlers.comments.edit_conflicts import what_changed
from handlers.model import Context, Pull, StoredProposal
from handlers.model.edit_conflict import edit_conflict_of
from handlers.model.plans import FileChange
from healing.model import NotChecked, Proposal


class Fit(NamedTuple):
    """A fix for the current head: the files to commit, or why it can't be applied (`changes` is empty then)."""

    proposal: Proposal
    changes: tuple[FileChange, ...]
    why: str


async def fit_to_head(
    pull: Pull, item: StoredProposal, context: Context, tested_together: TestedTogether | None = None
) -> Fit:
    """Tests the fix on the head. Its wide edits are applied, so that its reverse edits fit right afterwards; if the
    lines around them have changed, the fix is carried over and tested again. A fix that CI tested with others is tested
    with those of them that the command is about (`tested_together`)."""
    proposal = item.proposal
    why = await tested_together.why_not(pull, item) if tested_together else None
    if why:
        return Fit(proposal, (), why)
    tried = await context.healer.try_edits(pull, proposal.wide, proposal, verify=why is None)
    if tried.ok or why is not None:
        return Fit(proposal, tried.changes, tried.why)
    carried = await context.healer.carry_over(pull, item)
    if not isinstance(carried, Proposal):
        return Fit(proposal, (), await describe_mismatch(context, pull, proposal, carried))
    kept = carried.model_copy(update={"id": proposal.id})
    again = await context.healer.try_edits(pull, kept.wide, kept, verify=False)
    return Fit(kept, again.changes if again.ok else (), again.why)


async def describe_mismatch(context: Context, pull: Pull, proposal: Proposal, not_run: NotChecked) -> str:
    """Why a fix doesn't apply to a head, in a sentence for people. `not_run` is the engine's reason, whose words are
    meant for agents if the edits don't fit."""
    paths = {edit.file for edit in proposal.edits}
    files = {path: await context.github.file(path, pull.head_sha) for path in paths}
    edit_conflict = edit_conflict_of(proposal.edits, files.get)
    if edit_conflict is not None:
        return what_changed(edit_conflict)
    return not_run.why if not_run.what == proposal.id else f"{not_run.what}: {not_run.why}"
