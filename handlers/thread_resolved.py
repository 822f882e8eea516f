"""Handles a suggestion's review thread that a person resolved without committing it, or unresolved: the fix is set
aside, or is offered again.

GitHub also resolves the thread when a suggestion is committed, and sends that event and the push in any order; so the
head is checked, and a fix that was set aside by mistake is still marked applied when the push is received.
"""

from handlers.acceptance.carry_over import move_fixes_to_head
from handlers.acceptance.states import fix_states
from handlers.comments import reasons
from handlers.delivery.on_page import by_persons, offered_parts, threads_on
from handlers.delivery.quiet import is_posting_suspended
from handlers.delivery.sticky_note import refresh
from handlers.events import ThreadResolved
from handlers.model import Context, ProposalChange, Pull, StoredProposal
from handlers.runs.finding import is_known


async def handle(event: ThreadResolved, context: Context) -> None:
    """Handles the thread. On pull requests that Heal never worked on, threads cost no request to GitHub."""
    if not await is_known(context.store, event.number):
        return
    pull = await context.github.pull(event.number)
    if pull is None or pull.state != "open":
        return
    async with context.work_lock(event.number):
        item, closed = await _fix_of(event, context)
        if item is None:
            return
        changed = await (_put_aside(event, pull, item, context) if closed else _take_up(item, context))
        if not changed or await is_posting_suspended(context.store, event.number):
            return
        if closed:
            await refresh(context, pull, event.repo.full_name)
        else:
            await move_fixes_to_head(context, pull, event.repo.full_name)  # the head may have moved meanwhile


async def _fix_of(event: ThreadResolved, context: Context) -> tuple[StoredProposal | None, bool]:
    """Returns the fix whose suggestion is in the thread, and whether people have resolved the threads of all its parts,
    by GitHub's current state."""
    parts = [offered for offered in await offered_parts(context, event.number) if not offered.newer]
    id_ = next((offered.part.proposal_id for offered in parts if offered.comment.id == event.comment_id), None)
    stored = {item.proposal.id: item for item in await context.store.proposals(event.number)}
    if id_ is None or id_ not in stored:
        return None, False
    by_person = by_persons(context, await threads_on(context, event.number))
    return stored[id_], all(offered.comment.id in by_person for offered in parts if offered.part.proposal_id == id_)


async def _put_aside(event: ThreadResolved, pull: Pull, item: StoredProposal, context: Context) -> bool:
    """Sets an offered suggestion aside, unless the fix is on the branch, or was there and was edited: then its thread
    was resolved by a commit."""
    if item.status != "offered" or item.delivery != "suggestion":
        return False
    if (await fix_states(context, pull, (item,)))[item.proposal.id].state != "absent":
        return False
    aside: ProposalChange = {"status": "resolved", "reason": reasons.resolved_by(event.sender.login)}
    return await context.store.update_proposal(item, aside, only=("offered",))


async def _take_up(item: StoredProposal, context: Context) -> bool:
    back: ProposalChange = {"status": "offered", "reason": ""}
    return await context.store.update_proposal(item, back, only=("resolved",))
