"""`/heal status`: what Heal did and does here."""

from typing import Literal

from handlers.comments import answers
from handlers.events import CommentCreated
from handlers.model import Context

SYNTAX = "/heal status"
PERMISSION: Literal["anyone", "write"] = "anyone"
HELP = "Shows what Heal is doing, and the results so far."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """The runs of this pull request, newest first."""
    return answers.status(await context.store.runs(comment.number), await context.store.proposals(comment.number))
