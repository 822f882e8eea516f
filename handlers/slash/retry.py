"""`/heal retry`: starts another attempt, for everything or for one id, with an optional hint for the agents."""

from typing import Literal

from handlers.comments import answers
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import STANDING, Context
from handlers.slash.reading.choice import replied_to
from handlers.slash.reading.ids import resolve_id
from handlers.slash.start import start_attempt

SYNTAX = "/heal retry [id] [how: hint]"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Runs again, for everything or for one id; a hint guides the AI model."


async def run(comment: CommentCreated, args: tuple[str, ...], context: Context) -> str:
    """Starts an attempt. If the first word is no id, it belongs to the hint, and in a reply to a suggestion that fix is
    retried. Raises UserError for a fix that is open or applied, with what to do about it first."""
    resolved = await resolve_id(context, comment.number, args[0]) if args else None
    how = " ".join(args[1:] if resolved else args).removeprefix("how:").strip()
    stored = await context.store.proposals(comment.number)
    if resolved is None and (replied := await replied_to(comment, stored, context)):
        resolved = await resolve_id(context, comment.number, replied.proposal.id)
    for item in stored:
        if resolved and item.proposal.id == resolved.id and item.status in (*STANDING, "applied"):
            raise UserError(answers.in_the_way(resolved.id, item.status == "applied"))
    return await start_attempt(comment, how, context, resolved)
