"""The life of a fixup pull request: a draft, ready once its own CI has passed, stacked again when the branch below it
moves on, and closed with its branch when it is taken, left, or of no more use (GH-5)."""

from typing import NamedTuple

from handlers.comments import fixup as texts
from handlers.comments import marks, refusals
from handlers.comments.parts import by_id
from handlers.delivery.ground import ground_of
from handlers.delivery.plans import FixupPlan, Posted, Reviewers
from handlers.delivery.quiet import is_quiet
from handlers.delivery.refusal import Refusal, is_final, refusal_of, suppress_refusal
from handlers.fixups.codeowners import PLACES, owners_of
from handlers.fixups.plan import Stack, stack
from handlers.ports import (
    EVERY,
    STANDING,
    Fixup,
    FixupState,
    HeadMoved,
    ProposalChange,
    Pull,
    Refused,
    StoredProposal,
    World,
)

ROLLBACK, APPLY = "heal/rollback/", "heal/apply/"  # branches of pull requests that a person asked for: no drafts


class Restacked(NamedTuple):
    """The number of the pull request that each fix is in, and GitHub's refusal where there is none for that."""

    numbers: dict[str, int]
    refusal: Refusal | None = None


async def known(world: World, number: int) -> Fixup | None:
    """The open fixup pull request with this number, if it is one."""
    return next((one for one in await world.store.fixups() if one.number == number), None)


async def publish(world: World, target: int, plan: FixupPlan) -> Posted:
    """Makes it, or lets it hold what the plan says, and remembers it. Raises HeadMoved and Refused."""
    posted = await world.publisher.fixup(plan)
    before = await known(world, posted.id)
    if before is None or before.head_sha != posted.sha:
        ready = not plan.draft or (before is not None and before.state == "ready")
        state: FixupState = "ready" if ready else "new"
        fixup = Fixup(number=posted.id, target=target, branch=plan.branch, head_sha=posted.sha, state=state)
        await world.store.save_fixup(fixup)
    return posted


# Its own CI -----------------------------------------------------------------------------------------------------------


async def heard(world: World, sha: str, branch: str | None) -> None:
    """Some CI said something about a commit: where it is the head of a fixup pull request, that may be ready now."""
    for fixup in await world.store.fixups():
        if sha == fixup.head_sha or branch == fixup.branch:
            await judge(world, fixup)


async def judge(world: World, fixup: Fixup, alone: bool = False) -> None:
    """Ready where its CI is green; `alone`: no CI was heard of in time, so where there is none Heal's own validation
    decides. Said where it is red."""
    if fixup.state == "ready" or await is_quiet(world.store, fixup.target):
        return
    pull = await world.github.pull(fixup.number)
    if pull is None or pull.state == "closed":
        return
    ci = await world.github.ci_state(pull.head_sha, world.slug)
    if ci == "green" or (ci == "none" and alone):
        await _ready(world, fixup, pull, texts.no_ci() if ci == "none" else texts.ci_green())
    elif ci == "red" and fixup.state != "red":
        await _say(world, fixup, texts.ci_red(pull.head_sha))
        await _keep(world, fixup, "red")
    elif alone:
        await _keep(world, fixup, "waiting")


async def _ready(world: World, fixup: Fixup, pull: Pull, why: str) -> None:
    unasked: tuple[str, ...] = ()
    try:
        async with world.pull_lock(fixup.number):
            unasked = await world.publisher.ready(fixup.number, await reviewers(world, fixup, pull))
    except Refused as error:
        if not is_final(error):
            raise
        why = texts.not_ready(refusals.explained(texts.READY, refusal_of(error)))
    # Where it was never red, being ready says it all.
    comments = [why] if why != texts.ci_green() or fixup.state == "red" else []
    if unasked:
        comments.append(texts.teams_not_asked(unasked, (pull.base_repo or "").partition("/")[0]))
    if comments:
        await _say(world, fixup, "\n\n".join(comments))
    await _keep(world, fixup, "ready")


async def _say(world: World, fixup: Fixup, text: str) -> None:
    marker = marks.of_fixup_state(fixup.branch)
    with suppress_refusal():
        async with world.pull_lock(fixup.number):
            await world.publisher.answer(fixup.number, marker, f"{text}\n\n{marker}", None)


async def _keep(world: World, fixup: Fixup, state: FixupState) -> None:
    await world.store.save_fixup(fixup.model_copy(update={"state": state}))


async def reviewers(world: World, fixup: Fixup, pull: Pull) -> Reviewers:
    """The owners of what it changes, as the target's base branch names them: a pull request can't name its own."""
    target = await world.github.pull(fixup.target) if fixup.target else None
    ref = target.base_ref if target is not None else pull.base_ref
    for place in PLACES:
        data = await world.github.file(place, ref)
        if data is not None:
            owners = owners_of(data, [file.path for file in await world.github.changed_files(fixup.number)])
            return Reviewers(people=owners.people, teams=owners.teams)
    return Reviewers()


# The branch below it moves on -----------------------------------------------------------------------------------------


async def follow(world: World, pull: Pull, full_name: str) -> None:
    """What still stands is stacked again on the new head; where nothing does, the pull request is closed."""
    stored = await world.store.proposals(pull.number)
    for fixup in await world.store.fixups():
        if fixup.target != pull.number or fixup.branch.startswith(ROLLBACK):
            continue
        still = tuple(item for item in stored if item.fixup_number == fixup.number and item.status in STANDING)
        if still:
            await restack(world, pull, full_name, fixup.branch, still)
        else:
            await close(world, fixup, texts.moved_on(pull.number, pull.head_ref))


async def restack(
    world: World, pull: Pull, full_name: str, branch: str, items: tuple[StoredProposal, ...]
) -> Restacked:
    """Lets the fixup pull request from `branch` hold just these fixes, on the head as it is. Those that can't be in it
    are left out."""
    proposals = tuple(item.proposal for item in items)
    ground = await ground_of(world, pull, full_name, proposals)
    errors = by_id(e for run in await world.store.runs(pull.number) if run.outcome for e in run.outcome.errors)
    made = stack(proposals, branch, ground.base, errors)
    if made.plan is None:
        return Restacked({})
    plan = made.plan.model_copy(update={"draft": not branch.startswith(APPLY)})
    try:
        async with world.pull_lock(pull.number):
            posted = await publish(world, pull.number, plan)
    except HeadMoved:
        return Restacked({})  # somebody works on it: it stays as it is
    except Refused as error:
        if not is_final(error):
            raise
        return Restacked({}, refusal_of(error))
    await _mark(world, items, made, posted.id)
    return Restacked(dict.fromkeys(made.ids, posted.id))


async def _mark(world: World, items: tuple[StoredProposal, ...], made: Stack, number: int) -> None:
    for item in items:
        if item.proposal.id in made.ids:
            inside: ProposalChange = {"status": "offered", "delivery": "fixup", "fixup_number": number}
            await world.store.update_proposal(item, inside, only=STANDING)
        else:
            gone: ProposalChange = {"status": "outdated", "reason": made.left_out.get(item.proposal.id, "")}
            await world.store.update_proposal(item, gone, only=STANDING)


# Its end --------------------------------------------------------------------------------------------------------------


async def close(world: World, fixup: Fixup, why: str) -> None:
    """Closed with a word, its branch deleted; and no fix says any more that it is in there. Where GitHub refuses that,
    a person can close it."""
    with suppress_refusal():
        await world.publisher.close_fixup(fixup.number, fixup.branch, why)
    for item in await world.store.proposals(fixup.target):
        if item.fixup_number == fixup.number:
            await world.store.update_proposal(item, {"fixup_number": None}, only=EVERY)
    await world.store.forget_fixup(fixup.number)
