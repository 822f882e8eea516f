"""`/heal resume`: Heal goes on where it was told to be still."""

from typing import Literal

from handlers.acceptance.carry_over import follow
from handlers.comments import pauses
from handlers.events import CommentCreated
from handlers.ports import World
from handlers.slash.start import look_again, open_pull

SYNTAX = "/heal resume"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Ends `/heal pause`: open fixes are tested on the new head, and failed checks are worked on again."


async def run(comment: CommentCreated, _args: tuple[str, ...], world: World) -> str:
    """Makes up for what was left alone meanwhile."""

    async def was_paused() -> bool:
        return await world.store.paused_by(comment.number) is not None

    if not await world.steps.run("was paused", comment.number, was_paused):
        return pauses.not_paused()
    pull = await open_pull(comment, world)
    await world.store.resume(comment.number)
    async with world.lane(comment.number):
        await follow(world, pull, comment.repo.full_name)
    return pauses.resumed(await look_again(comment, "", world))
