"""`/heal explain`: explains where an error comes from, or how a fix, a report or a cluster was made."""

from typing import Literal

from handlers.comments import explaining
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import Context
from handlers.slash.reading.choice import replied_to
from handlers.slash.reading.ids import resolve_id

SYNTAX = "/heal explain <id>"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Explains where an error comes from, or how a fix came about."


async def run(comment: CommentCreated, args: tuple[str, ...], context: Context) -> str:
    """Answers from stored data, without a model. In a reply to a suggestion the id may be left out."""
    stored = await context.store.proposals(comment.number)
    word = args[0] if args else ""
    if not word:
        replied = await replied_to(comment, stored, context)
        word = replied.proposal.id if replied else ""
    resolved = await resolve_id(context, comment.number, word, hints=False) if word else None
    if resolved is None:
        raise UserError(explaining.which(word))
    item = next((one for one in stored if one.proposal.id == resolved.id), None)
    for run_ in await context.store.runs(comment.number):
        if run_.outcome is not None and (text := explaining.explained(resolved.id, run_.outcome, item)):
            return text
    raise UserError(explaining.which(word))
