"""`/heal explain`: how something came about: an error, a fix, a report or a cluster."""

from typing import Literal

from handlers.comments import explaining
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import Context
from handlers.slash.reading.choice import replied_to
from handlers.slash.reading.meant import resolve_id

SYNTAX = "/heal explain <id>"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Explains where an error comes from, or how a fix came about."


async def run(comment: CommentCreated, args: tuple[str, ...], context: Context) -> str:
    """From what is stored: no model is asked. In a reply under a suggestion the id may be left out."""
    stored = await context.store.proposals(comment.number)
    word = args[0] if args else ""
    if not word:
        replied = await replied_to(comment, stored, context)
        word = replied.proposal.id if replied else ""
    meant = await resolve_id(context, comment.number, word, hints=False) if word else None
    if meant is None:
        raise UserError(explaining.which(word))
    item = next((one for one in stored if one.proposal.id == meant.id), None)
    for run_ in await context.store.runs(comment.number):
        if run_.outcome is not None and (text := explaining.explained(meant.id, run_.outcome, item)):
            return text
    raise UserError(explaining.which(word))
