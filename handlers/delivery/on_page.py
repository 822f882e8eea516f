"""What the page shows of suggestions: whose part of which fix each comment is, and who resolved its thread."""

from typing import NamedTuple

from handlers.comments import marks
from handlers.model import Context, Refused, ReviewComment, ReviewThread
from handlers.model.refusal import is_final


class OfferedPart(NamedTuple):
    """A comment of ours that holds, or once held, a part of a fix."""

    comment: ReviewComment
    part: marks.Part
    newer: bool  # a later comment offers the same part


async def offered_parts(context: Context, number: int) -> list[OfferedPart]:
    """In the order of the page."""
    own = f"{context.slug}[bot]"
    found: list[OfferedPart] = []
    lowest: dict[str, int] = {}  # the lowest part of each fix in the comments after this one
    for comment in sorted(await context.github.review_comments(number), key=lambda comment: -comment.id):
        part = marks.part_in(comment.body) if comment.author == own and comment.in_reply_to is None else None
        if part is not None:
            # The parts of one review have ascending ids: a later one of the same or a lower part is another review's.
            newer = lowest.get(part.proposal_id, part.part + 1) <= part.part
            lowest[part.proposal_id] = min(part.part, lowest.get(part.proposal_id, part.part))
            found.append(OfferedPart(comment, part, newer))
    return found[::-1]


async def threads_on(context: Context, number: int) -> dict[int, ReviewThread]:
    """By their first comment; none where GitHub doesn't list them."""
    try:
        return {thread.comment_id: thread for thread in await context.github.review_threads(number)}
    except Refused as error:
        if not is_final(error):
            raise
        return {}


def by_persons(context: Context, threads: dict[int, ReviewThread]) -> set[int]:
    """First comments of the threads that a person resolved, as GitHub does for anyone who commits a suggestion."""
    return {id_ for id_, one in threads.items() if one.resolved and one.resolved_by not in (None, context.slug)}
