"""Notices which fixes were added to a pull request's branch or removed from it, by anyone and in any way, and resolves
their errors."""

from handlers.acceptance.states import FixAtHead, fix_states
from handlers.comments import reasons
from handlers.model import STANDING, CIWait, Context, ProposalChange, ProposalStatus, Pull, Store, StoredProposal
from healing.model import Resolution
from healing.pipeline.resolving import how_resolved

# Rejected and muted fixes keep their status, even if the branch has them.
_MAY_BECOME_APPLIED: tuple[ProposalStatus, ...] = (*STANDING, "rolled-back", "outdated", "resolved")


async def notice_changes(context: Context, pull: Pull) -> dict[str, FixAtHead]:
    """Stores which fixes the head has and which it has no longer: because a commit removed them, a force push dropped
    their commits, or the base branch has them by now. Fixes in an unclear state are left alone. Returns the state of
    each fix by its id. Idempotent."""
    items = [
        one for one in await context.store.proposals(pull.number) if one.status in (*_MAY_BECOME_APPLIED, "applied")
    ]
    found = await fix_states(context, pull, items)
    for item in items:
        fix = found[item.proposal.id]
        if fix.state == "applied" and item.status != "applied":
            await resolve_applied(context.store, fix.item, pull.head_sha, _MAY_BECOME_APPLIED)
        elif fix.state == "absent" and item.status == "applied":
            sha = item.applied_sha or ""
            kept = bool(sha) and await context.github.merge_base(sha, pull.head_sha) == sha
            gone: ProposalChange = {"status": "rolled-back" if kept else "outdated", "reason": reasons.gone(kept)}
            gone |= {"proposal": fix.item.proposal, "reference": fix.item.reference}
            await context.store.update_proposal(fix.item, gone, only=("applied",))
        elif fix.state == "base" and item.status in (*STANDING, "applied"):
            # The reference is kept: it shows that the base branch brought the fix.
            outdated: ProposalChange = {"status": "outdated", "reason": reasons.ON_BASE}
            await context.store.update_proposal(item, outdated, only=(*STANDING, "applied"))
    return found


async def resolve_applied(
    store: Store, item: StoredProposal, sha: str, only: tuple[ProposalStatus, ...] = STANDING
) -> None:
    """Stores that the fix is on the branch at `sha` and resolves its errors according to its source, unless its status,
    which may have changed meanwhile, is none of `only`."""
    applied: ProposalChange = {"proposal": item.proposal, "status": "applied", "applied_sha": sha, "reason": ""}
    applied["reference"] = item.reference
    if item.number:
        await store.await_ci(CIWait(number=item.number, sha=sha))
    if not await store.update_proposal(item, applied, only):
        return
    for run in await store.runs(item.number):
        if run.run_id != item.run_id or run.outcome is None:
            continue
        fixed = set(item.proposal.error_ids)
        ended = tuple(
            Resolution(error_id=id_, how=how_resolved(item.proposal), proposal_id=item.proposal.id)
            for id_ in item.proposal.error_ids
        )
        others = tuple(one for one in run.outcome.resolutions if one.error_id not in fixed)
        outcome = run.outcome.model_copy(update={"resolutions": (*others, *ended)})
        await store.save_run(run.model_copy(update={"outcome": outcome}))
