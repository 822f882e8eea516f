"""A fix on the head as it is now: verified there again, with its files as they go in (SC-4)."""

from typing import NamedTuple

from handlers.acceptance.mismatch import mismatch
from handlers.delivery.plans import FileChange
from handlers.ports import Pull, StoredProposal, World
from healing.model import Proposal


class Fit(NamedTuple):
    """A fix as it goes onto the head: its files, or why not."""

    proposal: Proposal
    changes: tuple[FileChange, ...]
    why: str


async def fit_to_head(pull: Pull, item: StoredProposal, world: World) -> Fit:
    """The fix verified on the head. The wide edits go in, so that their reverse fits right after (SC-6); where the
    lines around have changed, the fix is re-anchored and verified anew."""
    proposal = item.proposal
    tried = await world.healer.try_edits(pull, proposal.wide, proposal, verify=True)
    if tried.ok:
        return Fit(proposal, tried.changes, "")
    carried = await world.healer.carry_over(pull, item)
    if not isinstance(carried, Proposal):
        return Fit(proposal, (), await mismatch(world, pull, proposal, carried))
    kept = carried.model_copy(update={"id": proposal.id})
    again = await world.healer.try_edits(pull, kept.wide, kept, verify=False)
    return Fit(kept, again.changes if again.ok else (), again.why)
