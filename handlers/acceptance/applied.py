"""Which fixes came to a pull request's branch and which went, whoever did it and however; errors end with
them."""

from handlers.acceptance.states import FixAtHead, fix_states
from handlers.comments import reasons
from handlers.model import STANDING, CIWait, Context, ProposalChange, ProposalStatus, Pull, Store, StoredProposal
from healing.model import Resolution
from healing.pipeline.resolving import how_resolved

# A person's no, and a kind that is muted, stay what they are; Heal doesn't say of its own accord that they came in.
_MAY_COME: tuple[ProposalStatus, ...] = (*STANDING, "rolled-back", "outdated", "resolved")


async def notice_changes(context: Context, pull: Pull) -> dict[str, FixAtHead]:
    """Looks at the head, and stores which fixes came in and which are gone: taken out by somebody's commit, lost with
    commits that a push by force threw away, or the base branch's own by now. What is unclear stays as it is. Gives how
    each fix stands. Idempotent."""
    items = [one for one in await context.store.proposals(pull.number) if one.status in (*_MAY_COME, "applied")]
    found = await fix_states(context, pull, items)
    for item in items:
        one = found[item.proposal.id]
        if one.state == "applied" and item.status != "applied":
            await resolve_applied(context.store, one.item, pull.head_sha, _MAY_COME)
        elif one.state == "absent" and item.status == "applied":
            sha = item.applied_sha or ""
            kept = bool(sha) and await context.github.merge_base(sha, pull.head_sha) == sha
            await _is_gone(context.store, one.item, "rolled-back" if kept else "outdated", reasons.gone(kept))
        elif one.state == "base" and item.status in (*STANDING, "applied"):
            # Its reference stays: from there it can be seen that the base branch brought it.
            outdated: ProposalChange = {"status": "outdated", "reason": reasons.ON_BASE}
            await context.store.update_proposal(item, outdated, only=(*STANDING, "applied"))
    return found


async def _is_gone(store: Store, item: StoredProposal, status: ProposalStatus, reason: str) -> None:
    gone: ProposalChange = {"status": status, "reason": reason, "proposal": item.proposal, "reference": item.reference}
    await store.update_proposal(item, gone, only=("applied",))


async def resolve_applied(
    store: Store, item: StoredProposal, sha: str, only: tuple[ProposalStatus, ...] = STANDING
) -> None:
    """The fix is on the branch at `sha`: it is applied, and its errors end as its source says. Where its status
    is none of `only` any more, somebody knew better."""
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
