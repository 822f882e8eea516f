"""Takes suggestions off the page that nobody should commit any more.

GitHub itself only switches off a suggestion whose lines were changed, or whose thread is resolved. One whose fix was
rejected, applied by Heal, reverted, outdated or offered anew keeps its button until its comment is edited.
"""

from typing import NamedTuple

from handlers.acceptance.trailers import generation_of
from handlers.comments import marks
from handlers.comments.withdrawn import withdrawn
from handlers.delivery.plans import Withdrawal
from handlers.delivery.refusal import is_final
from handlers.ports import STANDING, Refused, ReviewComment, ReviewThread, StoredProposal, World


class Suggestion(NamedTuple):
    """A comment of ours that holds, or once held, a part of a fix."""

    comment: ReviewComment
    item: StoredProposal
    part: int
    parts: int
    newer: bool  # a later comment offers the same part


async def withdraw_dead(world: World, number: int) -> None:
    """Edits the comments of such suggestions and resolves their threads. Idempotent: what is in that form already costs
    one reading of the list. The threads are resolved first, so that an edited comment has nothing left to be done."""
    dead = [one for one in await _suggestions(world, number) if _state(one) is not None]
    if not dead:
        return
    threads = await _threads(world, number)
    left = await _not_taken(world, dead, threads)
    plans = tuple(_plan(one, threads.get(one.comment.id)) for one in left)
    if plans:
        await world.publisher.withdraw(plans)


async def _suggestions(world: World, number: int) -> list[Suggestion]:
    stored = {item.proposal.id: item for item in await world.store.proposals(number)}
    own = f"{world.slug}[bot]"
    comments = await world.github.review_comments(number) if stored else ()
    found: list[Suggestion] = []
    lowest: dict[str, int] = {}  # the lowest part of each fix in the comments after this one
    for comment in sorted(comments, key=lambda comment: -comment.id):
        mark = marks.part_in(comment.body) if comment.author == own and comment.in_reply_to is None else None
        if mark is not None and mark.proposal_id in stored:
            # The parts of one review have ascending ids: a later one of the same or a lower part is another review's.
            newer = lowest.get(mark.proposal_id, mark.part + 1) <= mark.part
            lowest[mark.proposal_id] = min(mark.part, lowest.get(mark.proposal_id, mark.part))
            found.append(Suggestion(comment, stored[mark.proposal_id], mark.part, mark.parts, newer))
    return found[::-1]


def _state(one: Suggestion) -> str | None:
    """What the comment is to say now, in a word for its mark; None where it is right as it is."""
    item, known = one.item, marks.withdrawn_in(one.comment.body)
    if known is not None and (one.newer or item.status in STANDING):
        return None
    if item.status in STANDING:
        elsewhere = item.status == "offered" and item.delivery != "suggestion"
        return "renewed" if one.newer or elsewhere else None
    if item.status == "muted":
        return None
    state = f"applied-{(item.applied_sha or '')[:12]}" if item.status == "applied" else item.status
    return None if state == known else state


async def _threads(world: World, number: int) -> dict[int, ReviewThread]:
    """By their first comment. Where GitHub doesn't list them, the comments are edited all the same."""
    try:
        return {thread.comment_id: thread for thread in await world.github.review_threads(number)}
    except Refused as error:
        if not is_final(error):
            raise
        return {}


async def _not_taken(world: World, dead: list[Suggestion], threads: dict[int, ReviewThread]) -> tuple[Suggestion, ...]:
    """Without those that a person committed on the page, which GitHub shows as it is; nor the other parts of a fix of
    which one was committed: whoever did that is still to commit them."""
    by_person = {id_ for id_, one in threads.items() if one.resolved and one.resolved_by not in (None, world.slug)}
    begun = {one.item.proposal.id for one in dead if one.comment.id in by_person}
    left: list[Suggestion] = []
    for one in dead:
        closed = one.comment.id in by_person
        unfinished = one.item.status == "outdated" and one.parts > 1 and one.item.proposal.id in begun
        untouched = marks.withdrawn_in(one.comment.body) is None
        if not (untouched and (unfinished or (closed and await _needs_no_edit(world, one)))):
            left.append(one)
    return tuple(left)


async def _needs_no_edit(world: World, one: Suggestion) -> bool:
    """Whether the thread that a person resolved needs no word of ours: the fix is on the branch, and the suggestion is
    outdated or it was that person who committed it. Who opens the thread again could commit any other."""
    if one.item.status != "applied":
        return False
    message = await world.github.commit_message(one.item.applied_sha or "") if one.comment.line is not None else None
    return generation_of(message) == 0


def _plan(one: Suggestion, thread: ReviewThread | None) -> Withdrawal:
    body = withdrawn(one.item, one.part, one.parts, _state(one) or "")
    open_ = thread is not None and not thread.resolved
    return Withdrawal(comment_id=one.comment.id, body=body, thread_id=thread.id if thread and open_ else None)
