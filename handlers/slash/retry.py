"""`/heal retry`: a further attempt, at one thing or all, with a hint for the agents if there is one."""

from typing import Literal

from handlers.comments import answers
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.ports import STANDING, World
from handlers.slash.reading.choice import replied_to
from handlers.slash.reading.meant import Meant, meant_by
from handlers.slash.start import look_again

SYNTAX = "/heal retry [id] [how: hint]"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Runs again, for everything or for the id; a hint steers the agents."


async def run(comment: CommentCreated, args: tuple[str, ...], world: World) -> str:
    """Opens the next attempt. A first word that names nothing belongs to the hint."""
    meant = await meant_by(world, comment.number, args[0]) if args else None
    how = " ".join(args[1:] if meant else args).removeprefix("how:").strip()
    if meant is None:
        meant = await _suggestion(comment, world)
    if meant is None:
        return await look_again(comment, how, world)
    await _may_be_tried(comment.number, meant, world)
    started = await look_again(comment, how, world, meant.errors)
    return answers.about(meant.id, started)


async def _suggestion(comment: CommentCreated, world: World) -> Meant | None:
    """In a reply under a suggestion the id may be left out."""
    replied = await replied_to(comment, await world.store.proposals(comment.number), world)
    return await meant_by(world, comment.number, replied.proposal.id) if replied else None


async def _may_be_tried(number: int, meant: Meant, world: World) -> None:
    """A fix that stands or is applied is in the way of another one. Raises UserError with what to do first."""
    for item in await world.store.proposals(number):
        if item.proposal.id == meant.id and item.status in (*STANDING, "applied"):
            raise UserError(answers.in_the_way(meant.id, item.status == "applied"))
