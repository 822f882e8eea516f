"""`/heal list`: lists the fixes of this pull request."""

from typing import Literal

from handlers.comments import answers
from handlers.events import CommentCreated
from handlers.model import Context

SYNTAX = "/heal list"
PERMISSION: Literal["anyone", "write"] = "anyone"
HELP = "Lists the fixes of this pull request."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Lists all fixes with their status."""
    return answers.proposal_list(await context.store.proposals(comment.number))
