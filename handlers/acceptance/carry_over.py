"""After the head moved: finds which fixes it contains, which still apply to it and which are outdated."""

from collections.abc import Sequence

from handlers.acceptance.applied import notice_changes
from handlers.acceptance.fitting import describe_mismatch
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
from healing.edits.exact import Changes, EditError, Read, apply_edits, edits_between, overlay, widen
from healing.model import Edit, NotChecked, Proposal

# On a fork nothing is tested again: that would run the new head's code, which anyone may have pushed.
FORK = NotChecked(what=reasons.THE_FORK, why=reasons.FORK_MOVED)


async def _combined(context: Context, pull: Pull, fix: Proposal, others: Sequence[Proposal]) -> Proposal | None:
    """A fix with those that were carried over before it: it needs no other if it commutes with all of them; otherwise
    it is put on top of those that change its files, and needs them. None if it doesn't apply there either."""
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
    """The fix on the files that `below` leave; None if its edits don't apply there or change nothing."""
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


async def move_fixes_to_head(context: Context, pull: Pull, full_name: str) -> None:
    """Tests every open fix of the pull request on its new head, without a model, and offers again those that no
    suggestion offers any more. Idempotent."""
    if pull.number:
        await context.store.note_head(pull.number, pull.head_sha)
        await context.store.note_pull(pull)
    found = await notice_changes(context, pull)
    standing = [item for item in await context.store.proposals(pull.number) if item.status in STANDING]
    again = await _carry(context, pull, full_name, standing, found) if standing else ()
    if await context.store.observing():  # trial mode: stored for the new head, but not posted
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
    """Carries fixes to the new head. Returns those that still apply and that no suggestion on the page offers."""
    held, lost = await _on_page(context, pull.number)
    again: list[StoredProposal] = []
    carried_before: list[Proposal] = []
    items = {item.proposal.id: item for item in standing}
    for proposal in in_order(tuple(item.proposal for item in standing)):
        fix = found.get(proposal.id)
        if fix is None or fix.state == "unclear":
            continue
        item = items[proposal.id].model_copy(update={"proposal": fix.item.proposal})
        carried = FORK if pull.is_fork_of(full_name) else await context.healer.carry_over(pull, item)
        if isinstance(carried, Proposal):  # it keeps its id, which people see and type
            carried = carried.model_copy(update={"id": proposal.id})
            carried = await _combined(context, pull, carried, carried_before) or NotChecked(
                what=proposal.id, why=reasons.IN_THE_WAY
            )
        if isinstance(carried, NotChecked):
            reason = await describe_mismatch(context, pull, item.proposal, carried)
            await context.store.update_proposal(item, {"status": "outdated", "reason": reason}, only=STANDING)
            continue
        carried_before.append(carried)
        kept = item.model_copy(update={"proposal": carried, "reference": pull.head_sha})
        comment = held.get(item.proposal.id)
        if item.status == "pending" and comment is not None:  # it was posted before a crash
            kept = _offered(kept, comment)
        if kept.status == "pending" or item.proposal.id in lost:
            again.append(kept)
        else:
            await _store_offer(context.store, kept)
    return tuple(again)


async def _on_page(context: Context, number: int) -> tuple[dict[str, int], frozenset[str]]:
    """The first comment of each fix whose suggestions can be committed, by the fix's id; and the ids of fixes that
    can't be committed whole because a suggestion's lines are outdated on GitHub. Threads that a person resolved don't
    count: there the suggestion was committed or declined."""
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
    """Posts them in one review, whatever their phases, and puts the rest into the fixup pull requests of their runs."""
    plan = await _renewal(context, pull, full_name, items)
    kept: dict[str, int] = {}  # proposal id → the comment on GitHub; empty if GitHub refused the lines
    try:
        if plan.comments:
            async with context.pull_lock(plan.number):
                kept = (await context.publisher.review(plan)).extra
    except HeadMoved:
        return  # the event of that push carries them over from what is stored
    except Refused as error:
        if not is_final(error):
            raise
    for item in items:
        await _store_offer(context.store, _offered(item, kept.get(item.proposal.id)))
    rest = [item for item in items if item.proposal.id not in kept]
    for branch in dict.fromkeys(fixup_branch(item.run_id, item.attempt) for item in rest):
        await _into_fixup(context, pull, full_name, branch, rest)


async def _into_fixup(context: Context, pull: Pull, full_name: str, branch: str, rest: list[StoredProposal]) -> None:
    """Puts fixes that a review can't carry into the fixup pull request of the run that found them. Does nothing for
    forks, and where these pull requests are only opened on request."""
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
    """Stores the fix on its new head, unless somebody decided about it while it was tested."""
    life: ProposalChange = {"status": item.status, "delivery": item.delivery, "comment_id": item.comment_id}
    life |= {"reason": item.reason, "reference": item.reference}
    await store.update_proposal(item, {"proposal": item.proposal, **life}, only=STANDING)


def _offered(item: StoredProposal, comment: int | None) -> StoredProposal:
    """The fix as offered by a comment. Without one there is no suggestion, but `/heal apply` still works."""
    delivery = "none" if comment is None else "suggestion"
    return item.model_copy(update={"status": "offered", "delivery": delivery, "comment_id": comment, "reason": ""})


async def _renewal(context: Context, pull: Pull, full_name: str, items: tuple[StoredProposal, ...]) -> ReviewPlan:
    """A review with all fixes that fit as suggestions on lines of the diff; of two for the same line, the first one."""
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
