"""The head moved: which fixes are in it now, which still hold there, which are outdated."""

from collections.abc import Callable, Sequence

from handlers.acceptance.applied import notice_changes
from handlers.acceptance.mismatch import describe_mismatch
from handlers.acceptance.states import FixAtHead
from handlers.comments import marks, reasons
from handlers.comments.parts import by_id
from handlers.comments.suggestion import renewal
from handlers.delivery.fixup_plan import fixup_branch, in_order
from handlers.delivery.fixups import life
from handlers.delivery.ground import ground_of
from handlers.delivery.on_page import by_persons, offered_parts, threads_on
from handlers.delivery.planning import MAX_COMMENTS, suggestion_plans
from handlers.delivery.sticky_note import refresh
from handlers.delivery.suggestible import NotSuggestible, Replacement, replacements
from handlers.model import STANDING, Context, HeadMoved, ProposalChange, Pull, Refused, Store, StoredProposal
from handlers.model.plans import ReviewPlan, SuggestionPlan
from handlers.model.refusal import is_final
from healing.edits.commuting import commute
from healing.edits.exact import Changes, EditError, apply_edits, edits_between, overlay, widen
from healing.model import Edit, NotChecked, Proposal

# Verifying runs the new head's code, and a stranger may have pushed it.
FORK = NotChecked(what=reasons.THE_FORK, why=reasons.FORK_MOVED)


# A fix that was carried to a new head, put among those that were carried before: beside them, or on top.
Read = Callable[[str], bytes | None]


async def among(context: Context, pull: Pull, fix: Proposal, others: Sequence[Proposal]) -> Proposal | None:
    """The fix as it is to be stored: it needs no other where it can be applied before and after each of them, always to
    the same bytes; else it needs those that change a file of it. None where it does not go on top of them either."""
    alone = fix.model_copy(update={"needs": ()})
    files = frozenset(edit.file for edit in fix.edits)
    sharing = [one for one in others if any(edit.file in files for edit in one.edits)]
    if not sharing:
        return alone
    wanted = {id_ for one in sharing for id_ in (one.id, *one.needs)}
    below = [one for one in others if one.id in wanted]
    paths = files | {edit.file for one in below for edit in one.edits}
    read = await context.healer.files(pull.head_sha, paths)
    if read is None:
        return None
    if not any(one.needs for one in sharing) and commute(fix, sharing, read.get):
        return alone
    return _on_top(fix, below, read.get)


def _on_top(fix: Proposal, below: Sequence[Proposal], read: Read) -> Proposal | None:
    done: Changes = {}
    modes = {edit.file: edit.mode for edit in fix.edits if edit.kind == "create"}
    try:
        for one in below:
            done |= apply_edits(one.edits, overlay(read, done))
        before = overlay(read, done)
        after = apply_edits(fix.edits, before)
    except EditError:
        return None
    edits: tuple[Edit, ...] = tuple(
        edit
        for path, new in sorted(after.items())
        for edit in edits_between(path, before(path), new, modes.get(path, "100644"))
    )
    both = widen(edits, before)
    made = {"edits": edits, "wide": both.wide, "reverse": both.reverse, "needs": tuple(one.id for one in below)}
    return fix.model_copy(update=made) if edits else None


async def follow(context: Context, pull: Pull, full_name: str) -> None:
    """Brings every standing fix of the pull request onto its new head, without a model. Idempotent."""
    if pull.number:
        await context.store.note_head(pull.number, pull.head_sha)
        await context.store.note_pull(pull)
    found = await notice_changes(context, pull)
    standing = [item for item in await context.store.proposals(pull.number) if item.status in STANDING]
    again = await _carry(context, pull, full_name, standing, found) if standing else ()
    if await context.store.observing():  # kept on the new head, and not reported
        for item in again:
            await _store_offer(context.store, item)
        return
    if again:
        await _offer_again(context, pull, full_name, again)
    await life.follow(context, pull, full_name)
    any_new = any(item.status == "pending" for item in standing) or bool(again)
    await refresh(context, pull, full_name, create=any_new)


async def _carry(
    context: Context, pull: Pull, full_name: str, standing: list[StoredProposal], found: dict[str, FixAtHead]
) -> tuple[StoredProposal, ...]:
    """Gives those that still hold and that no suggestion on the page offers (any more)."""
    held, lost = await _on_page(context, pull.number)
    again: list[StoredProposal] = []
    beside: list[Proposal] = []
    for known in _needed_first(standing):
        one = found.get(known.proposal.id)
        if one is None or one.state == "unclear":
            continue
        item = known.model_copy(update={"proposal": one.item.proposal})
        carried = FORK if pull.is_fork_of(full_name) else await context.healer.carry_over(pull, item)
        if isinstance(carried, Proposal):  # the id is what people see and type: it stays
            carried = carried.model_copy(update={"id": item.proposal.id})
            carried = await among(context, pull, carried, beside) or NotChecked(what=carried.id, why=reasons.IN_THE_WAY)
        if isinstance(carried, NotChecked):
            reason = await describe_mismatch(context, pull, item.proposal, carried)
            await context.store.update_proposal(item, {"status": "outdated", "reason": reason}, only=STANDING)
            continue
        beside.append(carried)
        anchored = {"proposal": carried, "reference": pull.head_sha}
        kept = item.model_copy(update=anchored)
        comment = held.get(item.proposal.id)
        if item.status == "pending" and comment is not None:  # posted, and then a crash came
            kept = _offered(kept, comment)
        if kept.status == "pending" or item.proposal.id in lost:
            again.append(kept)
        else:
            await _store_offer(context.store, kept)
    return tuple(again)


def _needed_first(standing: list[StoredProposal]) -> list[StoredProposal]:
    by = {item.proposal.id: item for item in standing}
    return [by[proposal.id] for proposal in in_order(tuple(item.proposal for item in standing))]


async def _on_page(context: Context, number: int) -> tuple[dict[str, int], frozenset[str]]:
    """Fix → the first comment of those whose suggestions can be committed; and the fixes that can't be committed whole,
    because GitHub lost the lines of a part. What a person resolved was committed or put aside, not lost."""
    held: dict[str, int] = {}
    gone: dict[int, str] = {}
    for comment, part, newer in await offered_parts(context, number) if number else ():
        if newer:
            continue
        if comment.line is not None and marks.withdrawn_in(comment.body) is None:
            held.setdefault(part.proposal_id, comment.id)
        else:
            gone[comment.id] = part.proposal_id
    resolved = by_persons(context, await threads_on(context, number)) if gone else set()
    return held, frozenset(gone[comment] for comment in gone.keys() - resolved)


async def _offer_again(context: Context, pull: Pull, full_name: str, items: tuple[StoredProposal, ...]) -> None:
    """In one review, whatever their phases: they were found long ago."""
    plan = await _renewal(context, pull, full_name, items)
    try:
        kept = await _post(context, plan) if plan.comments else {}
    except HeadMoved:
        return  # a later push carries them on from what is stored
    for item in items:
        await _store_offer(context.store, _offered(item, kept.get(item.proposal.id)))
    rest = [item for item in items if item.proposal.id not in kept]
    for branch in dict.fromkeys(fixup_branch(item.run_id, item.attempt) for item in rest):
        await _into_fixup(context, pull, full_name, branch, rest)


async def _into_fixup(context: Context, pull: Pull, full_name: str, branch: str, rest: list[StoredProposal]) -> None:
    """What no review can carry here goes into the fixup pull request of the run that found it. Not from forks, nor
    where these are opened on request."""
    if pull.is_fork_of(full_name) or (await context.healer.policy(pull.head_sha, pull)).fixup_pr == "on_request":
        return
    ids = {item.proposal.id for item in rest}
    open_ = {fixup.number for fixup in await context.store.fixups() if fixup.branch == branch}
    inside = tuple(
        item
        for item in await context.store.proposals(pull.number)
        if item.status in STANDING and (item.proposal.id in ids or item.fixup_number in open_)
        if fixup_branch(item.run_id, item.attempt) == branch
    )
    await life.restack(context, pull, full_name, branch, inside)


async def _store_offer(store: Store, item: StoredProposal) -> None:
    """Re-anchored and offered, unless somebody decided about it while it was verified."""
    life: ProposalChange = {"status": item.status, "delivery": item.delivery, "comment_id": item.comment_id}
    life |= {"reason": item.reason, "reference": item.reference}
    await store.update_proposal(item, {"proposal": item.proposal, **life}, only=STANDING)


def _offered(item: StoredProposal, comment: int | None) -> StoredProposal:
    """As a suggestion; where no review can carry it here, `/heal apply` still can."""
    delivery = "none" if comment is None else "suggestion"
    return item.model_copy(update={"status": "offered", "delivery": delivery, "comment_id": comment, "reason": ""})


async def _post(context: Context, plan: ReviewPlan) -> dict[str, int]:
    """Proposal id → the comment that GitHub kept; nothing where it refused the lines."""
    try:
        async with context.pull_lock(plan.number):
            return (await context.publisher.review(plan)).extra
    except Refused as error:
        if not is_final(error):
            raise
        return {}


async def _renewal(context: Context, pull: Pull, full_name: str, items: tuple[StoredProposal, ...]) -> ReviewPlan:
    """A review of all that lines of the diff can carry, the first come where two want the same line."""
    proposals = tuple(item.proposal for item in items)
    ground = await ground_of(context, pull, full_name, proposals)
    errors = by_id(e for run in await context.store.runs(pull.number) if run.outcome for e in run.outcome.errors)
    taken: list[Replacement] = []
    comments: list[SuggestionPlan] = []
    placed: list[Proposal] = []
    for proposal in proposals:
        try:
            places = replacements(proposal.edits, ground.hunks, ground.read)
        except NotSuggestible:
            continue
        if len(comments) + len(places) > MAX_COMMENTS or any(p.overlaps(t) for p in places for t in taken):
            continue
        placed.append(proposal)
        taken += places
        comments += suggestion_plans(proposal, places, errors, ground)
    marker = marks.of_renewal(tuple(proposal.id for proposal in placed), pull.head_sha)
    body = renewal(tuple(placed), pull.head_sha, marker)
    return ReviewPlan(number=pull.number, commit_sha=pull.head_sha, marker=marker, body=body, comments=tuple(comments))
