"""`/heal cost`: shows what models cost on this pull request."""

from typing import Literal

from handlers.comments import answers
from handlers.events import CommentCreated
from handlers.model import Context

SYNTAX = "/heal cost"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Shows what was spent on this pull request."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Lists money, tokens and time for each run."""
    return answers.costs(await context.store.runs(comment.number))
