"""`/heal off`: puts the repository back into trial mode."""

from typing import Literal

from handlers.comments import switches
from handlers.events import CommentCreated
from handlers.model import Context

SYNTAX = "/heal off"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Goes back to trial mode: Heal posts only its check run in this repository."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Fixes that were offered stay on their pull requests and can still be applied."""
    await context.store.switch(offers=False, by=comment.sender.login)
    return switches.OFF
