"""`/heal reject`: a fix is not wanted; it is not offered here again."""

from typing import Literal

from handlers.choice import choose
from handlers.comments import answers
from handlers.comments.clean import cut
from handlers.errors import UserError
from handlers.events import Said
from handlers.ports import World

SYNTAX = "/heal reject <id…> [why]"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Drops fixes; the reason is remembered."


async def run(said: Said, args: tuple[str, ...], world: World) -> str:
    """Marks the chosen fixes as rejected. One that is on the branch must be rolled back instead."""
    choice = await choose(said, args, world, "reject", ("offered", "pending"))
    on_branch = [item.proposal.id for item in choice.stored if item.status == "applied"]
    if on_branch:
        raise UserError(answers.reject_applied(tuple(on_branch)))
    why = cut(" ".join(choice.rest), 1000)
    for item in choice.stored:
        await world.store.update_proposal(item.model_copy(update={"status": "rejected", "reason": why}))
    return answers.rejected(tuple(item.proposal.id for item in choice.stored), why)
