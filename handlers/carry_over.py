"""The head moved: which fixes are in it now, which still hold there, which are outdated (IN-3, GH-6)."""

from handlers.comments import marks
from handlers.comments.parts import by_id
from handlers.comments.suggestion import renewal
from handlers.delivery import fixup_branch, suggestion_plans
from handlers.ground import ground_of
from handlers.ports import HeadMoved, Pull, Refused, ReviewPlan, Store, StoredProposal, World
from handlers.sticky_note import refresh
from handlers.suggestible import NotSuggestible, replacements
from healing.model import NotLooked, Proposal, Resolution

# Verifying runs the new head's code, and a stranger may have pushed it (IN-5).
FORK = NotLooked(
    what="the fork moved on",
    why="its code only runs when somebody with write access says /heal, which offers anew what still holds",
)
STANDING = ("offered", "pending")


async def follow(world: World, pull: Pull, full_name: str) -> None:
    """Brings every standing fix of the pull request onto its new head, without a model. Idempotent."""
    standing = [item for item in await world.store.proposals(pull.number) if item.status in STANDING]
    if standing:
        await _carry(world, pull, full_name, standing)
    await _close_used_fixups(world, pull.number)
    await refresh(world, pull)


async def _carry(world: World, pull: Pull, full_name: str, standing: list[StoredProposal]) -> None:
    outdated = await _outdated_on_page(world, pull.number)
    for item in standing:
        if await world.healer.changed_since(pull, item.proposal) == "applied":
            await resolve_applied(world.store, item, pull.head_sha)
            continue
        carried = FORK if pull.is_fork_of(full_name) else await world.healer.carry_over(pull, item)
        if isinstance(carried, NotLooked):
            reason = f"{carried.what}: {carried.why}"
            await world.store.update_proposal(item.model_copy(update={"status": "outdated", "reason": reason}))
            continue
        # The id is what people see and type: it stays.
        kept = item.model_copy(update={"proposal": carried.model_copy(update={"id": item.proposal.id})})
        await _keep(world, pull, full_name, kept, renew=item.status == "pending" or item.proposal.id in outdated)


async def _close_used_fixups(world: World, number: int) -> None:
    """A fixup pull request that has nothing left to give is closed, with its branch (GH-5). Looked for among all fixes:
    a command may have applied the last one before the push was heard of."""
    known = [item for item in await world.store.proposals(number) if item.fixup_number]
    still = {item.fixup_number for item in known if item.status in STANDING}
    used = [item for item in known if item.fixup_number not in still]
    for fixup_number, item in {item.fixup_number: item for item in used}.items():
        why = f"Closed, because #{number} has moved on: nothing is left in here that it could use."
        await world.publisher.close_fixup(fixup_number or 0, fixup_branch(item.run_id, item.attempt), why)
    for item in used:
        await world.store.update_proposal(item.model_copy(update={"fixup_number": None}))


async def resolve_applied(store: Store, item: StoredProposal, sha: str) -> None:
    """The fix is on the branch at `sha`: it is applied, and its errors end as its source says (CK-7)."""
    await store.update_proposal(item.model_copy(update={"status": "applied", "applied_sha": sha, "reason": ""}))
    for run in await store.runs(item.number):
        if run.run_id != item.run_id or run.outcome is None:
            continue
        cured = set(item.proposal.error_ids)
        ended = tuple(
            Resolution(error_id=id_, how=how_it_ended(item.proposal), proposal_id=item.proposal.id)
            for id_ in item.proposal.error_ids
        )
        others = tuple(one for one in run.outcome.resolutions if one.error_id not in cured)
        outcome = run.outcome.model_copy(update={"resolutions": (*others, *ended)})
        await store.save_run(run.model_copy(update={"outcome": outcome}))


def how_it_ended(proposal: Proposal) -> str:
    """How a proposal's errors end once it is accepted: free cures by their own name, agents' as `fix:`."""
    free = proposal.source.startswith(("autofix:", "fixer:", "memory:"))
    return proposal.source if free else f"fix:{proposal.id}"


async def _outdated_on_page(world: World, number: int) -> frozenset[str]:
    """Fixes whose suggestion can't be accepted any more, because GitHub lost its lines."""
    own = f"{world.slug}[bot]"
    lost: set[str] = set()
    held: set[str] = set()
    for comment in await world.github.review_comments(number):
        id_ = marks.proposal_in(comment.body) if comment.author == own and comment.in_reply_to is None else None
        if id_ is not None:
            (held if comment.line is not None else lost).add(id_)
    # Where an older comment was lost but a renewed one holds, nothing has to be said again.
    return frozenset(lost - held)


async def _keep(world: World, pull: Pull, full_name: str, item: StoredProposal, renew: bool) -> None:
    if not renew:
        await world.store.update_proposal(item)
        return
    plan = await _renewal(world, pull, full_name, item)
    try:
        comment = await _post(world, plan) if plan is not None else None
    except HeadMoved:
        return  # a later push carries it on from what is stored
    # Where no review can carry it here, `/heal apply` still can.
    update = {"status": "offered", "delivery": "none" if comment is None else "suggestion", "comment_id": comment}
    await world.store.update_proposal(item.model_copy(update=update))


async def _post(world: World, plan: ReviewPlan) -> int | None:
    """The comment that GitHub kept; None where it refused the lines."""
    try:
        async with world.pull_lock(plan.number):
            posted = await world.publisher.review(plan)
    except Refused as error:
        if error.status != 422:
            raise
        return None
    return posted.extra.get(plan.comments[0].proposal_id)


async def _renewal(world: World, pull: Pull, full_name: str, item: StoredProposal) -> ReviewPlan | None:
    ground = await ground_of(world, pull, full_name, (item.proposal,))
    try:
        places = replacements(item.proposal.edits, ground.hunks, ground.read)
    except NotSuggestible:
        return None
    runs = [run for run in await world.store.runs(pull.number) if run.run_id == item.run_id and run.outcome]
    errors = by_id(runs[0].outcome.errors) if runs and runs[0].outcome else {}
    marker = marks.of_renewal(item.proposal.id, pull.head_sha)
    return ReviewPlan(
        number=pull.number,
        commit_sha=pull.head_sha,
        marker=marker,
        body=renewal(item.proposal, pull.head_sha, marker),
        comments=suggestion_plans(item.proposal, places, errors),
    )
