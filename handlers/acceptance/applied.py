"""A fix is on the branch: it is applied, and its errors end as its source says (CK-7, GH-6)."""

from handlers.ports import STANDING, ProposalChange, ProposalStatus, Store, StoredProposal
from healing.model import Resolution
from healing.phases.resolving import how_it_ends


async def resolve_applied(
    store: Store, item: StoredProposal, sha: str, only: tuple[ProposalStatus, ...] = STANDING
) -> None:
    """The fix is on the branch at `sha`: it is applied, and its errors end as its source says (CK-7). Where its status
    is none of `only` any more, somebody knew better."""
    applied: ProposalChange = {"proposal": item.proposal, "status": "applied", "applied_sha": sha, "reason": ""}
    if not await store.update_proposal(item, applied, only):
        return
    for run in await store.runs(item.number):
        if run.run_id != item.run_id or run.outcome is None:
            continue
        cured = set(item.proposal.error_ids)
        ended = tuple(
            Resolution(error_id=id_, how=how_it_ends(item.proposal), proposal_id=item.proposal.id)
            for id_ in item.proposal.error_ids
        )
        others = tuple(one for one in run.outcome.resolutions if one.error_id not in cured)
        outcome = run.outcome.model_copy(update={"resolutions": (*others, *ended)})
        await store.save_run(run.model_copy(update={"outcome": outcome}))
