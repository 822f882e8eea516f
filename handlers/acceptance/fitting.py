"""A fix on the head as it is now: verified there again, with its files as they go in."""

from typing import NamedTuple

from handlers.acceptance.mismatch import describe_mismatch
from handlers.acceptance.together import TestedTogether
from handlers.model import Context, Pull, StoredProposal
from handlers.model.plans import FileChange
from healing.model import Proposal


class Fit(NamedTuple):
    """A fix as it goes onto the head: its files, or why not."""

    proposal: Proposal
    changes: tuple[FileChange, ...]
    why: str


async def fit_to_head(
    pull: Pull, item: StoredProposal, context: Context, together: TestedTogether | None = None
) -> Fit:
    """The fix verified on the head. The wide edits go in, so that their reverse fits right after; where the
    lines around have changed, the fix is re-anchored and verified again. What CI tested with others is verified with
    those of them that the command is about (`together`)."""
    proposal = item.proposal
    why = await together.why_not(pull, item) if together else None
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
