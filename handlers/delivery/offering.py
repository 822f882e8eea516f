"""Carries a delivery plan out through the publisher, and stores how each fix was offered."""

from typing import NamedTuple

from handlers.comments import reasons, refusals
from handlers.delivery.fixups import life
from handlers.delivery.ground import ground_of
from handlers.delivery.muting import kinds_of
from handlers.delivery.patches import head_patch
from handlers.delivery.planning import DeliveryPlan, plan_delivery
from handlers.delivery.sticky_note import refresh
from handlers.model import STANDING, Context, ProposalChange, Pull, Refused, Run, StoredProposal
from handlers.model.plans import ReviewPlan
from handlers.model.refusal import Refusal, is_final, refusal_of
from handlers.model.wishes import find_request
from healing.model import Outcome, Proposal

Known = dict[str, StoredProposal]  # by id
Offered = dict[str, str]  # proposal id → `suggestion`, `fixup`, `patch`, `none`, or why it is none of them


class Offering(NamedTuple):
    """How each fix was offered, and the check run's notes on what GitHub refused."""

    offered: Offered
    notes: tuple[str, ...] = ()


async def offerable_fixes(context: Context, run: Run, number: int, outcome: Outcome) -> tuple[Proposal, ...]:
    """Returns the fixes that this run may offer: none is offered twice, or again after a rejection. An outdated fix may
    be offered again by another run; one that was reverted, or set aside by resolving its thread, only on request."""
    asked = find_request(await context.store.failures(run.sha, run.attempt)) is not None
    known = {item.proposal.id: item for item in await context.store.proposals(number)}
    return tuple(p for p in outcome.proposals if p.id not in known or _may_offer(known[p.id], run, outcome, asked))


def _may_offer(known: StoredProposal, run: Run, outcome: Outcome, asked: bool) -> bool:
    if known.status == "pending":
        return True
    if known.status == "offered":  # only if by this attempt, before a crash
        return (known.run_id, known.attempt) == (outcome.run_id, run.attempt)
    if known.status == "rejected" or (known.status in ("rolled-back", "resolved") and not asked):
        return False
    return known.run_id != outcome.run_id


async def store_fixes(
    context: Context, run: Run, number: int, outcome: Outcome, proposals: tuple[Proposal, ...]
) -> None:
    """Stores new fixes and their kinds before anything is posted. Known fixes stay unchanged in the store."""
    stored = [
        StoredProposal(
            proposal=proposal,
            run_id=run.run_id or "",
            attempt=run.attempt,
            number=number,
            status="pending",
            reference=run.sha,
        )
        for proposal in proposals
    ]
    await context.store.save_proposals(tuple(stored))
    await context.store.save_kinds(number, {p.id: kinds_of(p, outcome.errors) for p in proposals})


async def offer(context: Context, run: Run, pull: Pull, outcome: Outcome, proposals: tuple[Proposal, ...]) -> Offering:
    """Posts reviews, fixup pull request and summary comment; returns how each fix was offered. A fix that GitHub
    refuses as a suggested change goes into the fixup pull request, and without that into a patch."""
    known = {item.proposal.id: item for item in await context.store.proposals(pull.number)}
    offered: Offered = {id_: item.delivery for id_, item in known.items() if item.status == "offered"}
    if not proposals:
        return Offering(offered)
    refused_parts: list[tuple[str, Refusal]] = []
    ground = await ground_of(context, pull, run.full_name, proposals)
    wanted = (await context.healer.policy(run.sha, pull)).fixup_pr == "auto" or not pull.number
    plan = plan_delivery(outcome, run.attempt, ground, proposals, fixups=wanted)
    async with context.pull_lock(pull.number):
        refused: dict[str, str] = {}
        for review in plan.reviews:
            kept, refusal = await _review(context, review)
            refused_parts += [(refusals.REVIEW, refusal)] if refusal else []
            why = refusals.reason(refusals.REVIEW, refusal) if refusal else reasons.GITHUB_REFUSED
            refused |= {comment.proposal_id: why for comment in review.comments if comment.proposal_id not in kept}
            for id_, comment_id in kept.items():
                offered[id_] = await _mark(
                    context, run, known[id_], {"delivery": "suggestion", "comment_id": comment_id}
                )
        if refused:
            plan = plan_delivery(outcome, run.attempt, ground, proposals, refused, wanted)
        fixup, refusal = await _fixup(context, pull.number, plan)
        refused_parts += [(refusals.FIXUP, refusal)] if refusal else []
    for id_ in plan.fixup_ids if fixup else ():
        inside: ProposalChange = {"delivery": "fixup", "fixup_number": fixup, "reason": plan.reasons.get(id_, "")}
        offered[id_] = await _mark(context, run, known[id_], inside)
    # If GitHub refuses the fixup pull request, its fixes are offered as patches in the comment.
    no_fixup = refusals.reason(refusals.FIXUP, refusal) if refusal else ""
    for id_ in (*plan.patches, *(plan.fixup_ids if not fixup else ())):
        why = "; ".join(part for part in (plan.reasons.get(id_, ""), no_fixup) if part)
        offered[id_] = await _mark(context, run, known[id_], await _as_patch(context, known[id_].proposal, pull, why))
    for id_, why in plan.left_out.items():
        offered[id_] = await _mark(context, run, known[id_], {"status": "outdated", "reason": why})
    if (refusal := await refresh(context, pull, run.full_name, create=True)) is not None:
        refused_parts.append((refusals.SUMMARY, refusal))
        why = refusals.reason(refusals.SUMMARY, refusal)
        for id_ in [id_ for id_, how in offered.items() if how == "patch"]:
            offered[id_] = await _mark(context, run, known[id_], {"delivery": "none", "reason": why})
    return Offering(offered, refusals.notes(tuple(refused_parts)))


async def _review(context: Context, plan: ReviewPlan) -> tuple[dict[str, int], Refusal | None]:
    """Posts one review; returns the comment ids of the fixes that GitHub accepted, or the refusal."""
    try:
        return (await context.publisher.review(plan)).extra, None
    except Refused as error:
        if not is_final(error):
            raise
        return {}, refusal_of(error)


async def _fixup(context: Context, number: int, plan: DeliveryPlan) -> tuple[int | None, Refusal | None]:
    """Opens the fixup pull request and returns its number; None if none is planned, or GitHub refused it."""
    if plan.fixup is None:
        return None, None
    try:
        return (await life.publish(context, number, plan.fixup)).id, None
    except Refused as error:
        if not is_final(error):
            raise
        return None, refusal_of(error)


async def _as_patch(context: Context, proposal: Proposal, pull: Pull, why: str) -> ProposalChange:
    patch = await head_patch(context.github, proposal, pull.head_sha)
    if patch.text is None:
        return {"delivery": "none", "reason": patch.why}
    return {"delivery": "patch", "reason": why}


async def _mark(context: Context, run: Run, item: StoredProposal, update: ProposalChange) -> str:
    """Stores that the fix is offered by this attempt, unless `update` says otherwise. Returns how it is offered, or why
    not."""
    mine: ProposalChange = {"status": "offered", "run_id": run.run_id or "", "attempt": run.attempt, "reason": ""}
    await context.store.update_proposal(item, mine | update, only=STANDING)
    return update.get("delivery") or update.get("reason", "")
