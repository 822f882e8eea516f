"""Carries a delivery plan out through the publisher, and remembers what became of each fix (GH-1, GH-4)."""

from handlers.asking import wish_among
from handlers.comments import reasons
from handlers.delivery import DeliveryPlan, plan_delivery
from handlers.fixups import life
from handlers.ground import ground_of
from handlers.muting import kinds_of
from handlers.patches import head_patch
from handlers.plans import ReviewPlan
from handlers.ports import STANDING, ProposalChange, Pull, Refused, Run, StoredProposal, World
from handlers.sticky_note import refresh
from healing.model import Outcome, Proposal

Known = dict[str, StoredProposal]  # by id
Offered = dict[str, str]  # proposal id → `suggestion`, `fixup`, `patch`, or why it is none of them


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
        StoredProposal(proposal=one, run_id=run.run_id or "", attempt=run.attempt, number=number, status="pending")
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
    by_id = {proposal.id: proposal for proposal in proposals}
    plan = plan_delivery(outcome, run.attempt, ground, proposals)
    offered |= plan.left_out
    async with world.pull_lock(pull.number):
        for review in plan.reviews:
            offered |= await _review(world, run, known, review)
        in_fixup = await _fixup(world, run, known, pull.number, plan)
    offered |= in_fixup
    # Where GitHub won't have the fixup pull request, the next rung of the ladder.
    for id_ in (*plan.patches, *(id_ for id_ in plan.fixup_ids if id_ not in in_fixup)):
        fits = await head_patch(world.github, by_id[id_], pull.head_sha) is not None
        await _mark(world, run, known[id_], {"delivery": "patch" if fits else "none"})
        offered[id_] = "patch" if fits else reasons.NO_PATCH
    for id_, why in plan.left_out.items():
        await _mark(world, run, known[id_], {"status": "outdated", "reason": why})
    await refresh(world, pull, create=True)
    return offered


async def _fixup(world: World, run: Run, known: Known, number: int, plan: DeliveryPlan) -> Offered:
    if plan.fixup is None:
        return {}
    try:
        posted = await life.publish(world, number, plan.fixup)
    except Refused as error:
        if not life.refuses(error):
            raise
        return {}
    for id_ in plan.fixup_ids:
        await _mark(world, run, known[id_], {"delivery": "fixup", "fixup_number": posted.id})
    return dict.fromkeys(plan.fixup_ids, "fixup")


async def _review(world: World, run: Run, known: Known, plan: ReviewPlan) -> Offered:
    """Posts one review and reads back which fixes GitHub kept; the others can still be applied by command."""
    ids = tuple(dict.fromkeys(comment.proposal_id for comment in plan.comments))
    try:
        kept = (await world.publisher.review(plan)).extra
    except Refused as error:
        if error.status != 422:
            raise
        kept = {}
    offered: Offered = {}
    for id_ in ids:
        if id_ in kept:
            await _mark(world, run, known[id_], {"delivery": "suggestion", "comment_id": kept[id_]})
            offered[id_] = "suggestion"
        else:
            await _mark(world, run, known[id_], {"delivery": "none"})
            offered[id_] = reasons.GITHUB_REFUSED
    return offered


async def _mark(world: World, run: Run, item: StoredProposal, update: ProposalChange) -> None:
    """The fix is offered by this attempt, unless `update` says otherwise."""
    mine: ProposalChange = {"status": "offered", "run_id": run.run_id or "", "attempt": run.attempt}
    await world.store.update_proposal(item, mine | update, only=STANDING)
