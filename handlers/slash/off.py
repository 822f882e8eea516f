"""`/heal off`: back to the trial: Heal only observes this repository."""

from typing import Literal

from handlers.comments import switches
from handlers.events import CommentCreated
from handlers.model import Context

SYNTAX = "/heal off"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Goes back to trial mode: Heal posts only its check run in this repository."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """What was offered stays on its pages, and can still be taken."""
    await context.store.switch(offers=False, by=comment.sender.login)
    return switches.OFF
