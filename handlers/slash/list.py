"""`/heal list`: the fixes of this pull request."""

from typing import Literal

from handlers.comments import answers
from handlers.events import CommentCreated
from handlers.ports import World

SYNTAX = "/heal list"
PERMISSION: Literal["anyone", "write"] = "anyone"
HELP = "Lists the fixes of this pull request."


async def run(comment: CommentCreated, _args: tuple[str, ...], world: World) -> str:
    """All fixes with their status."""
    return answers.proposal_list(await world.store.proposals(comment.number))
