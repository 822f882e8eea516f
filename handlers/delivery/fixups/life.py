"""The life cycle of a fixup pull request: a draft, ready once its own CI has passed, rebuilt when the branch below it
moves, and closed with its branch when it is merged, closed, or no longer needed."""

from typing import NamedTuple

from handlers.comments import fixup as texts
from handlers.comments import marks, refusals
from handlers.comments.parts import by_id
from handlers.delivery.fixup_plan import Stack, stack
from handlers.delivery.fixups.codeowners import PLACES, owners_of
from handlers.delivery.ground import ground_of
from handlers.delivery.quiet import is_posting_suspended
from handlers.model import (
    EVERY,
    STANDING,
    Context,
    Fixup,
    FixupState,
    HeadMoved,
    ProposalChange,
    Pull,
    Refused,
    StoredProposal,
)
from handlers.model.plans import FixupPlan, Posted, Reviewers
from handlers.model.refusal import Refusal, is_final, refusal_of, suppress_refusal

ROLLBACK, APPLY = "heal/rollback/", "heal/apply/"  # branches of pull requests that a person requested: no drafts


class Restacked(NamedTuple):
    """The number of the pull request that contains each fix, and GitHub's refusal if it could not be opened."""

    numbers: dict[str, int]
    refusal: Refusal | None = None


async def known(context: Context, number: int) -> Fixup | None:
    """Returns the open fixup pull request with this number, or None if it is none."""
    return next((fixup for fixup in await context.store.fixups() if fixup.number == number), None)


async def publish(context: Context, target: int, plan: FixupPlan) -> Posted:
    """Opens the fixup pull request, or updates it to the plan, and stores it. Raises HeadMoved and Refused."""
    posted = await context.publisher.fixup(plan)
    before = await known(context, posted.id)
    if before is None or before.head_sha != posted.sha:
        ready = not plan.draft or (before is not None and before.state == "ready")
        state: FixupState = "ready" if ready else "new"
        fixup = Fixup(number=posted.id, target=target, branch=plan.branch, head_sha=posted.sha, state=state)
        await context.store.save_fixup(fixup)
    return posted


# Its own CI -----------------------------------------------------------------------------------------------------------


async def ci_reported(context: Context, sha: str, branch: str | None) -> None:
    """Handles a CI result for a commit: if it is the head of a fixup pull request, that may be ready now."""
    for fixup in await context.store.fixups():
        if sha == fixup.head_sha or branch == fixup.branch:
            await judge(context, fixup)


async def judge(context: Context, fixup: Fixup, alone: bool = False) -> None:
    """Marks the fixup pull request ready if its CI is green, and reports it if it is red. `alone`: there was no CI
    result in time, so if there is no CI, Heal's own verification suffices."""
    if fixup.state == "ready" or await is_posting_suspended(context.store, fixup.target):
        return
    pull = await context.github.pull(fixup.number)
    if pull is None or pull.state == "closed":
        return
    ci = await context.github.ci_state(pull.head_sha, context.slug)
    if ci == "green" or (ci == "none" and alone):
        await _ready(context, fixup, pull, texts.no_ci() if ci == "none" else texts.ci_green())
    elif ci == "red" and fixup.state != "red":
        await _say(context, fixup, texts.ci_red(pull.head_sha, pull.base_ref))
        await _keep(context, fixup, "red")
    elif alone:
        await _keep(context, fixup, "waiting")


async def _ready(context: Context, fixup: Fixup, pull: Pull, why: str) -> None:
    unasked: tuple[str, ...] = ()
    try:
        async with context.pull_lock(fixup.number):
            unasked = await context.publisher.ready(fixup.number, await reviewers(context, fixup, pull))
    except Refused as error:
        if not is_final(error):
            raise
        why = texts.not_ready(refusals.explained(texts.READY, refusal_of(error)))
    # A comment on green CI is only needed if CI was red before.
    comments = [why] if why != texts.ci_green() or fixup.state == "red" else []
    if unasked:
        comments.append(texts.teams_not_asked(unasked, (pull.base_repo or "").partition("/")[0]))
    if comments:
        await _say(context, fixup, "\n\n".join(comments))
    await _keep(context, fixup, "ready")


async def _say(context: Context, fixup: Fixup, text: str) -> None:
    marker = marks.of_fixup_state(fixup.branch)
    with suppress_refusal():
        async with context.pull_lock(fixup.number):
            await context.publisher.answer(fixup.number, marker, f"{text}\n\n{marker}", None)


async def _keep(context: Context, fixup: Fixup, state: FixupState) -> None:
    await context.store.save_fixup(fixup.model_copy(update={"state": state}))


async def reviewers(context: Context, fixup: Fixup, pull: Pull) -> Reviewers:
    """Returns the code owners of the changed files, by the target's base branch, as a pull request must not choose its
    own reviewers."""
    target = await context.github.pull(fixup.target) if fixup.target else None
    ref = target.base_ref if target is not None else pull.base_ref
    for place in PLACES:
        data = await context.github.file(place, ref)
        if data is not None:
            owners = owners_of(data, [file.path for file in await context.github.changed_files(fixup.number)])
            return Reviewers(people=owners.people, teams=owners.teams)
    return Reviewers()


# The branch below it moves on -----------------------------------------------------------------------------------------


async def follow(context: Context, pull: Pull, full_name: str) -> None:
    """Rebuilds the target's fixup pull requests with the undecided fixes on the new head; closes those without any."""
    stored = await context.store.proposals(pull.number)
    for fixup in await context.store.fixups():
        if fixup.target != pull.number or fixup.branch.startswith(ROLLBACK):
            continue
        undecided = tuple(item for item in stored if item.fixup_number == fixup.number and item.status in STANDING)
        if undecided:
            await restack(context, pull, full_name, fixup.branch, undecided)
        else:
            await close(context, fixup, texts.moved_on(pull.number, pull.head_ref))


async def restack(
    context: Context, pull: Pull, full_name: str, branch: str, items: tuple[StoredProposal, ...]
) -> Restacked:
    """Rebuilds the fixup pull request from `branch` with exactly these fixes, on the current head. Fixes that don't fit
    are left out."""
    proposals = tuple(item.proposal for item in items)
    ground = await ground_of(context, pull, full_name, proposals)
    errors = by_id(e for run in await context.store.runs(pull.number) if run.outcome for e in run.outcome.errors)
    commits = stack(proposals, branch, ground.base, errors)
    if commits.plan is None:
        return Restacked({})
    plan = commits.plan.model_copy(update={"draft": not branch.startswith(APPLY)})
    try:
        async with context.pull_lock(pull.number):
            posted = await publish(context, pull.number, plan)
    except HeadMoved:
        return Restacked({})  # somebody pushed to the branch: it is left unchanged
    except Refused as error:
        if not is_final(error):
            raise
        return Restacked({}, refusal_of(error))
    await _mark(context, items, commits, posted.id)
    return Restacked(dict.fromkeys(commits.ids, posted.id))


async def _mark(context: Context, items: tuple[StoredProposal, ...], stack: Stack, number: int) -> None:
    for item in items:
        if item.proposal.id in stack.ids:
            inside: ProposalChange = {"status": "offered", "delivery": "fixup", "fixup_number": number}
            await context.store.update_proposal(item, inside, only=STANDING)
        else:
            outdated: ProposalChange = {"status": "outdated", "reason": stack.left_out.get(item.proposal.id, "")}
            await context.store.update_proposal(item, outdated, only=STANDING)


# Its end --------------------------------------------------------------------------------------------------------------


async def close(context: Context, fixup: Fixup, why: str) -> None:
    """Closes the pull request with a comment, deletes its branch, and removes its number from its fixes. If GitHub
    refuses to close it, a person can."""
    with suppress_refusal():
        await context.publisher.close_fixup(fixup.number, fixup.branch, why)
    for item in await context.store.proposals(fixup.target):
        if item.fixup_number == fixup.number:
            await context.store.update_proposal(item, {"fixup_number": None}, only=EVERY)
    await context.store.forget_fixup(fixup.number)
