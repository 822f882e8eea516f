"""`/heal pause`: pauses Heal on this pull request until `/heal resume`."""

from typing import Literal

from handlers.comments import pauses
from handlers.events import CommentCreated
from handlers.model import Context

SYNTAX = "/heal pause"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Pauses Heal on this pull request until `/heal resume`. Commands are still answered."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """A run in progress stops before its next step; what it found is stored."""
    before = await context.store.paused_by(comment.number)
    await context.store.pause(comment.number, comment.sender.login)
    return pauses.already(before) if before else pauses.paused()
