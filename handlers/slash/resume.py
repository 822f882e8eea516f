"""`/heal resume`: ends `/heal pause`."""

from typing import Literal

from handlers.acceptance.carry_over import move_fixes_to_head
from handlers.comments import pauses
from handlers.events import CommentCreated
from handlers.model import Context
from handlers.slash.start import open_pull, start_attempt

SYNTAX = "/heal resume"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Ends `/heal pause`: open fixes are tested on the current commit, and Heal runs if checks have failed."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Tests open fixes on the current head and starts an attempt, since pushes and failures were ignored meanwhile."""

    async def was_paused() -> bool:
        return await context.store.paused_by(comment.number) is not None

    if not await context.steps.run("was paused", comment.number, was_paused):
        return pauses.not_paused()
    pull = await open_pull(comment, context)
    await context.store.resume(comment.number)
    async with context.work_lock(comment.number):
        await move_fixes_to_head(context, pull, comment.repo.full_name)
    return pauses.resumed(await start_attempt(comment, "", context))
