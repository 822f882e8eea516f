"""Carries a delivery plan out through the publisher, and remembers what became of each fix (GH-1, GH-4)."""

from handlers.comments import reasons
from handlers.delivery.ground import ground_of
from handlers.delivery.ladder import DeliveryPlan, plan_delivery
from handlers.delivery.muting import kinds_of
from handlers.delivery.patches import head_patch
from handlers.delivery.plans import ReviewPlan
from handlers.fixups import life
from handlers.ports import STANDING, ProposalChange, Pull, Refused, Run, StoredProposal, World
from handlers.runs.asking import wish_among
from handlers.runs.sticky_note import refresh
from healing.model import Outcome, Proposal

Known = dict[str, StoredProposal]  # by id
Offered = dict[str, str]  # proposal id → `suggestion`, `fixup`, `patch`, `none`, or why it is none of them


async def fresh(world: World, run: Run, number: int, outcome: Outcome) -> tuple[Proposal, ...]:
    """The fixes that this run may offer: nothing is offered twice, nor after a no. What is outdated may come again from
    a run of another commit; what was taken back only where somebody asks."""
    asked = wish_among(await world.store.failures(run.sha, run.attempt)) is not None
    known = {item.proposal.id: item for item in await world.store.proposals(number)}
    return tuple(p for p in outcome.proposals if p.id not in known or _may_offer(known[p.id], run, outcome, asked))


def _may_offer(known: StoredProposal, run: Run, outcome: Outcome, asked: bool) -> bool:
    if known.status == "pending":
        return True
    if known.status == "offered":  # by this very attempt, before a crash
        return (known.run_id, known.attempt) == (outcome.run_id, run.attempt)
    if known.status == "rejected" or (known.status == "rolled-back" and not asked):
        return False
    return known.run_id != outcome.run_id


async def remember(world: World, run: Run, number: int, outcome: Outcome, proposals: tuple[Proposal, ...]) -> None:
    """Stores new fixes before anything is posted, and of which kinds they are; the store leaves those that it knows as
    they are."""
    made = [
        StoredProposal(
            proposal=one,
            run_id=run.run_id or "",
            attempt=run.attempt,
            number=number,
            status="pending",
            reference=run.sha,
        )
        for one in proposals
    ]
    await world.store.save_proposals(tuple(made))
    await world.store.save_kinds(number, {one.id: kinds_of(one, outcome.errors) for one in proposals})


async def offer(world: World, run: Run, pull: Pull, outcome: Outcome, proposals: tuple[Proposal, ...]) -> Offered:
    """Posts reviews, fixup pull request and summary comment; says how each fix was offered."""
    known = {item.proposal.id: item for item in await world.store.proposals(pull.number)}
    offered: Offered = {id_: item.delivery for id_, item in known.items() if item.status == "offered"}
    if not proposals:
        return offered
    ground = await ground_of(world, pull, run.full_name, proposals)
    plan = plan_delivery(outcome, run.attempt, ground, proposals)
    async with world.pull_lock(pull.number):
        refused: set[str] = set()
        for review in plan.reviews:
            kept = await _review(world, review)
            refused |= {comment.proposal_id for comment in review.comments} - kept.keys()
            for id_, comment_id in kept.items():
                offered[id_] = await _mark(world, run, known[id_], {"delivery": "suggestion", "comment_id": comment_id})
        if refused:
            plan = plan_delivery(outcome, run.attempt, ground, proposals, frozenset(refused))
        fixup = await _fixup(world, pull.number, plan)
    for id_ in plan.fixup_ids if fixup else ():
        inside: ProposalChange = {"delivery": "fixup", "fixup_number": fixup, "reason": plan.reasons.get(id_, "")}
        offered[id_] = await _mark(world, run, known[id_], inside)
    # Where GitHub won't have the fixup pull request, the next rung of the ladder.
    for id_ in (*plan.patches, *(plan.fixup_ids if not fixup else ())):
        offered[id_] = await _mark(world, run, known[id_], await _as_patch(world, known[id_].proposal, pull, plan))
    for id_, why in plan.left_out.items():
        offered[id_] = await _mark(world, run, known[id_], {"status": "outdated", "reason": why})
    if not await refresh(world, pull, create=True):
        for id_ in [id_ for id_, how in offered.items() if how == "patch"]:
            offered[id_] = await _mark(world, run, known[id_], {"delivery": "none", "reason": reasons.NO_COMMENT})
    return offered


async def _review(world: World, plan: ReviewPlan) -> dict[str, int]:
    """Posts one review and reads back which fixes GitHub kept, with their comments."""
    try:
        return (await world.publisher.review(plan)).extra
    except Refused as error:
        if not life.refuses(error):
            raise
        return {}


async def _fixup(world: World, number: int, plan: DeliveryPlan) -> int | None:
    """The number of the fixup pull request; None where there is none, or GitHub won't have it."""
    if plan.fixup is None:
        return None
    try:
        return (await life.publish(world, number, plan.fixup)).id
    except Refused as error:
        if not life.refuses(error):
            raise
        return None


async def _as_patch(world: World, proposal: Proposal, pull: Pull, plan: DeliveryPlan) -> ProposalChange:
    if await head_patch(world.github, proposal, pull.head_sha) is None:
        return {"delivery": "none", "reason": reasons.NO_PATCH}
    return {"delivery": "patch", "reason": plan.reasons.get(proposal.id, "")}


async def _mark(world: World, run: Run, item: StoredProposal, update: ProposalChange) -> str:
    """The fix is offered by this attempt, unless `update` says otherwise. Gives how."""
    mine: ProposalChange = {"status": "offered", "run_id": run.run_id or "", "attempt": run.attempt, "reason": ""}
    await world.store.update_proposal(item, mine | update, only=STANDING)
    return update.get("delivery") or update.get("reason", "")
