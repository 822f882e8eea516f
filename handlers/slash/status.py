"""`/heal status`: what Heal did and does here."""

from typing import Literal

from handlers.comments import answers
from handlers.events import CommentCreated
from handlers.ports import World

SYNTAX = "/heal status"
PERMISSION: Literal["anyone", "write"] = "anyone"
HELP = "Says what Heal is doing, and what became of it."


async def run(said: CommentCreated, _args: tuple[str, ...], world: World) -> str:
    """The runs of this pull request, newest first."""
    return answers.status(await world.store.runs(said.number), await world.store.proposals(said.number))
