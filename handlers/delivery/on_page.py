"""Reads suggestions on GitHub's page: to which part of which fix each comment belongs, and who resolved its thread."""

from typing import NamedTuple

from handlers.comments import marks
from handlers.model import Context, Refused, ReviewComment, ReviewThread
from handlers.model.refusal import is_final


class OfferedPart(NamedTuple):
    """A comment of Heal's that contains, or once contained, a part of a fix."""

    comment: ReviewComment
    part: marks.Part
    newer: bool  # a later comment offers the same part


async def offered_parts(context: Context, number: int) -> list[OfferedPart]:
    """Returns the comments in the order of their ids."""
    own = f"{context.slug}[bot]"
    parts: list[OfferedPart] = []
    lowest: dict[str, int] = {}  # the lowest part of each fix in the comments after this one
    for comment in sorted(await context.github.review_comments(number), key=lambda comment: -comment.id):
        part = marks.part_in(comment.body) if comment.author == own and comment.in_reply_to is None else None
        if part is not None:
            # The parts of one review have ascending ids: a later comment with the same or a lower part is of another
            # review.
            newer = lowest.get(part.proposal_id, part.part + 1) <= part.part
            lowest[part.proposal_id] = min(part.part, lowest.get(part.proposal_id, part.part))
            parts.append(OfferedPart(comment, part, newer))
    return parts[::-1]


async def threads_on(context: Context, number: int) -> dict[int, ReviewThread]:
    """Returns the review threads by the id of their first comment; none if GitHub refuses to list them."""
    try:
        return {thread.comment_id: thread for thread in await context.github.review_threads(number)}
    except Refused as error:
        if not is_final(error):
            raise
        return {}


def by_persons(context: Context, threads: dict[int, ReviewThread]) -> set[int]:
    """Returns the first comments of threads that a person resolved, directly or by committing the suggestion."""
    return {id_ for id_, one in threads.items() if one.resolved and one.resolved_by not in (None, context.slug)}
