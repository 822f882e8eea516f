"""A person resolved a suggestion's thread without committing it, or opened it again: the fix is put aside, or is back.

GitHub also resolves the thread for anyone who commits a suggestion, and tells of it in any order with the push; so the
head is looked at, and a fix that was put aside by mistake still comes to be applied when the push is received.
"""

from handlers.acceptance.carry_over import follow
from handlers.acceptance.states import states
from handlers.comments import reasons
from handlers.delivery.on_page import by_persons, offered_parts, threads_on
from handlers.delivery.quiet import is_quiet
from handlers.delivery.sticky_note import refresh
from handlers.events import ThreadResolved
from handlers.model import Context, ProposalChange, Pull, StoredProposal
from handlers.runs.finding import is_known


async def handle(event: ThreadResolved, context: Context) -> None:
    """Threads that are no suggestion of Heal's cost no request where Heal has nothing to do with the pull request."""
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
        if not changed or await is_quiet(context.store, event.number):
            return
        if closed:
            await refresh(context, pull)
        else:
            await follow(context, pull, event.repo.full_name)  # the head may have moved meanwhile


async def _fix_of(event: ThreadResolved, context: Context) -> tuple[StoredProposal | None, bool]:
    """The fix whose suggestion stands in the thread, and whether people have resolved the threads of all its parts, as
    GitHub says now."""
    parts = [one for one in await offered_parts(context, event.number) if not one.newer]
    id_ = next((one.part.proposal_id for one in parts if one.comment.id == event.comment_id), None)
    stored = {item.proposal.id: item for item in await context.store.proposals(event.number)}
    if id_ is None or id_ not in stored:
        return None, False
    by_person = by_persons(context, await threads_on(context, event.number))
    return stored[id_], all(one.comment.id in by_person for one in parts if one.part.proposal_id == id_)


async def _put_aside(event: ThreadResolved, pull: Pull, item: StoredProposal, context: Context) -> bool:
    """One that is on the branch, or was there and was edited, is somebody's commit."""
    if item.status != "offered" or item.delivery != "suggestion":
        return False
    if (await states(context, pull, (item,)))[item.proposal.id].state != "absent":
        return False
    aside: ProposalChange = {"status": "resolved", "reason": reasons.resolved_by(event.sender.login)}
    return await context.store.update_proposal(item, aside, only=("offered",))


async def _take_up(item: StoredProposal, context: Context) -> bool:
    back: ProposalChange = {"status": "offered", "reason": ""}
    return await context.store.update_proposal(item, back, only=("resolved",))
