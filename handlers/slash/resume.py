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


async def run(said: CommentCreated, _args: tuple[str, ...], world: World) -> str:
    """Makes up for what was left alone meanwhile."""

    async def was_paused() -> bool:
        return await world.store.paused_by(said.number) is not None

    if not await world.steps.run("was paused", said.number, was_paused):
        return pauses.not_paused()
    pull = await open_pull(said, world)
    await world.store.resume(said.number)
    async with world.lane(said.number):
        await follow(world, pull, said.repo.full_name)
    return pauses.resumed(await look_again(said, "", world))
