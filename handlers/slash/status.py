"""`/heal status`: shows what Heal is doing on this pull request, and the results so far."""

from typing import Literal

from handlers.comments import answers
from handlers.events import CommentCreated
from handlers.model import Context

SYNTAX = "/heal status"
PERMISSION: Literal["anyone", "write"] = "anyone"
HELP = "Shows what Heal is doing, and the results so far."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Lists the runs of this pull request, newest first."""
    return answers.status(await context.store.runs(comment.number), await context.store.proposals(comment.number))
