"""Replies to requests that an internal error of Heal kept from being carried out."""

from handlers.asked_on_dashboard import as_comment
from handlers.comment_created import answer
from handlers.comments import answers
from handlers.events import AnyEvent, AskedOnDashboard, CommentCreated
from handlers.model import Context
from handlers.slash.reading.commands import parse_command


async def apologise(event: AnyEvent, reference: str, context: Context) -> None:
    """Replies to a request that failed with an internal error; `reference` identifies it in the log. Events that are no
    requests get no reply."""
    if isinstance(event, AskedOnDashboard):
        await answer(as_comment(event), answers.apology(reference), context)
    elif isinstance(event, CommentCreated) and parse_command(event.body) is not None:
        await answer(event, answers.apology(reference), context)
