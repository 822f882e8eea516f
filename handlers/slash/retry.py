"""`/heal retry`: a further attempt, at one thing or all, with a hint for the agents if there is one."""

from typing import Literal

from handlers.comments import answers
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import STANDING, Context
from handlers.slash.reading.choice import replied_to
from handlers.slash.reading.meant import ResolvedId, resolve_id
from handlers.slash.start import start_attempt

SYNTAX = "/heal retry [id] [how: hint]"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Runs again, for everything or for one id; a hint guides the AI model."


async def run(comment: CommentCreated, args: tuple[str, ...], context: Context) -> str:
    """Opens the next attempt. A first word that names nothing belongs to the hint."""
    meant = await resolve_id(context, comment.number, args[0]) if args else None
    how = " ".join(args[1:] if meant else args).removeprefix("how:").strip()
    if meant is None:
        meant = await _suggestion(comment, context)
    if meant is None:
        return await start_attempt(comment, how, context)
    await _may_be_tried(comment.number, meant, context)
    return await start_attempt(comment, how, context, meant)


async def _suggestion(comment: CommentCreated, context: Context) -> ResolvedId | None:
    """In a reply under a suggestion the id may be left out."""
    replied = await replied_to(comment, await context.store.proposals(comment.number), context)
    return await resolve_id(context, comment.number, replied.proposal.id) if replied else None


async def _may_be_tried(number: int, meant: ResolvedId, context: Context) -> None:
    """A fix that stands or is applied is in the way of another one. Raises UserError with what to do first."""
    for item in await context.store.proposals(number):
        if item.proposal.id == meant.id and item.status in (*STANDING, "applied"):
            raise UserError(answers.in_the_way(meant.id, item.status == "applied"))
