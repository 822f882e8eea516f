"""Takes suggestions off the page that nobody should commit any more.

GitHub itself only switches off a suggestion whose lines were changed, or whose thread is resolved. One whose fix was
rejected, applied by Heal, reverted, outdated or offered again keeps its button until its comment is edited.
"""

from typing import NamedTuple

from handlers.comments import marks
from handlers.comments.trailers import generation_of
from handlers.comments.withdrawn import withdrawn
from handlers.delivery.on_page import by_persons, offered_parts, threads_on
from handlers.model import STANDING, Context, ReviewComment, ReviewThread, StoredProposal
from handlers.model.plans import Withdrawal


class Suggestion(NamedTuple):
    """A comment of ours that holds, or once held, a part of a fix."""

    comment: ReviewComment
    item: StoredProposal
    part: int
    parts: int
    newer: bool  # a later comment offers the same part


async def withdraw_dead(context: Context, number: int) -> None:
    """Edits the comments of such suggestions and resolves their threads. Idempotent: what is in that form already costs
    one reading of the list. The threads are resolved first, so that an edited comment has nothing left to be done."""
    dead = [one for one in await _suggestions(context, number) if _state(one) is not None]
    if not dead:
        return
    threads = await threads_on(context, number)
    left = await _not_taken(context, dead, threads)
    plans = tuple(_plan(one, threads.get(one.comment.id)) for one in left)
    if plans:
        await context.publisher.withdraw(plans)


async def _suggestions(context: Context, number: int) -> list[Suggestion]:
    stored = {item.proposal.id: item for item in await context.store.proposals(number)}
    return [
        Suggestion(comment, stored[part.proposal_id], part.part, part.parts, newer)
        for comment, part, newer in (await offered_parts(context, number) if stored else ())
        if part.proposal_id in stored
    ]


def _state(one: Suggestion) -> str | None:
    """What the comment is to say now, in a word for its mark; None where it is right as it is."""
    item, known = one.item, marks.withdrawn_in(one.comment.body)
    if known is not None and (one.newer or item.status in STANDING):
        return None
    if item.status in STANDING:
        elsewhere = item.status == "offered" and item.delivery != "suggestion"
        return "renewed" if one.newer or elsewhere else None
    if item.status in ("muted", "resolved"):  # in a resolved thread GitHub lets nobody commit it
        return None
    state = f"applied-{(item.applied_sha or '')[:12]}" if item.status == "applied" else item.status
    return None if state == known else state


async def _not_taken(
    context: Context, dead: list[Suggestion], threads: dict[int, ReviewThread]
) -> tuple[Suggestion, ...]:
    """Without those that a person committed on the page, which GitHub shows as it is; nor the other parts of a fix of
    which one was committed: whoever did that is still to commit them."""
    by_person = by_persons(context, threads)
    begun = {one.item.proposal.id for one in dead if one.comment.id in by_person}
    left: list[Suggestion] = []
    for one in dead:
        closed = one.comment.id in by_person
        unfinished = one.item.status == "outdated" and one.parts > 1 and one.item.proposal.id in begun
        untouched = marks.withdrawn_in(one.comment.body) is None
        if not (untouched and (unfinished or (closed and await _needs_no_edit(context, one)))):
            left.append(one)
    return tuple(left)


async def _needs_no_edit(context: Context, one: Suggestion) -> bool:
    """Whether the thread that a person resolved needs no word of ours: the fix is on the branch, and the suggestion is
    outdated or it was that person who committed it. Who opens the thread again could commit any other."""
    if one.item.status != "applied":
        return False
    message = await context.github.commit_message(one.item.applied_sha or "") if one.comment.line is not None else None
    return generation_of(message) == 0


def _plan(one: Suggestion, thread: ReviewThread | None) -> Withdrawal:
    body = withdrawn(one.item, one.part, one.parts, _state(one) or "")
    open_ = thread is not None and not thread.resolved
    return Withdrawal(comment_id=one.comment.id, body=body, thread_id=thread.id if thread and open_ else None)
