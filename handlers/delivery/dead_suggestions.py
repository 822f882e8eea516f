"""Withdraws suggestions that should no longer be committed.

GitHub itself only disables a suggestion whose lines were changed, or whose thread is resolved. One whose fix was
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
    """A comment of Heal's that contains, or once contained, a part of a fix."""

    comment: ReviewComment
    item: StoredProposal
    part: int
    parts: int
    newer: bool  # a later comment offers the same part


async def withdraw_dead(context: Context, number: int) -> None:
    """Edits the comments of dead suggestions and resolves their threads. Idempotent: without dead ones it costs only
    reading the comments. Threads are resolved first, so that for an edited comment nothing is left to do."""
    dead = [suggestion for suggestion in await _suggestions(context, number) if _state(suggestion) is not None]
    if not dead:
        return
    threads = await threads_on(context, number)
    left = await _not_taken(context, dead, threads)
    plans = tuple(_plan(suggestion, threads.get(suggestion.comment.id)) for suggestion in left)
    if plans:
        await context.publisher.withdraw(plans)


async def _suggestions(context: Context, number: int) -> list[Suggestion]:
    stored = {item.proposal.id: item for item in await context.store.proposals(number)}
    return [
        Suggestion(comment, stored[part.proposal_id], part.part, part.parts, newer)
        for comment, part, newer in (await offered_parts(context, number) if stored else ())
        if part.proposal_id in stored
    ]


def _state(suggestion: Suggestion) -> str | None:
    """Returns the state that the comment should show now, as in its marker; None if the comment is up to date."""
    item, known = suggestion.item, marks.withdrawn_in(suggestion.comment.body)
    if known is not None and (suggestion.newer or item.status in STANDING):
        return None
    if item.status in STANDING:
        elsewhere = item.status == "offered" and item.delivery != "suggestion"
        return "renewed" if suggestion.newer or elsewhere else None
    if item.status in ("muted", "resolved"):  # in a resolved thread it can't be committed
        return None
    state = f"applied-{(item.applied_sha or '')[:12]}" if item.status == "applied" else item.status
    return None if state == known else state


async def _not_taken(
    context: Context, dead: list[Suggestion], threads: dict[int, ReviewThread]
) -> tuple[Suggestion, ...]:
    """Returns the dead suggestions without those that a person committed on GitHub, which GitHub shows as such, and
    without the other parts of such a fix, which that person may still commit."""
    by_person = by_persons(context, threads)
    begun = {suggestion.item.proposal.id for suggestion in dead if suggestion.comment.id in by_person}
    left: list[Suggestion] = []
    for suggestion in dead:
        closed = suggestion.comment.id in by_person
        unfinished = (
            suggestion.item.status == "outdated" and suggestion.parts > 1 and suggestion.item.proposal.id in begun
        )
        untouched = marks.withdrawn_in(suggestion.comment.body) is None
        if not (untouched and (unfinished or (closed and await _needs_no_edit(context, suggestion)))):
            left.append(suggestion)
    return tuple(left)


async def _needs_no_edit(context: Context, suggestion: Suggestion) -> bool:
    """Whether the comment in a thread that a person resolved needs no edit: the fix is on the branch, and the
    suggestion is outdated or was committed by a person. Any other suggestion could be committed after unresolving the
    thread."""
    if suggestion.item.status != "applied":
        return False
    message = (
        await context.github.commit_message(suggestion.item.applied_sha or "")
        if suggestion.comment.line is not None
        else None
    )
    return generation_of(message) == 0


def _plan(suggestion: Suggestion, thread: ReviewThread | None) -> Withdrawal:
    body = withdrawn(suggestion.item, suggestion.part, suggestion.parts, _state(suggestion) or "")
    open_ = thread is not None and not thread.resolved
    return Withdrawal(comment_id=suggestion.comment.id, body=body, thread_id=thread.id if thread and open_ else None)
