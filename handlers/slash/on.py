"""`/heal on`: ends trial mode: from now on Heal offers fixes in this repository."""

from typing import Literal

from handlers.comments import switches
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import Context
from handlers.slash.start import start_attempt

SYNTAX = "/heal on"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Ends trial mode in this repository: Heal offers its fixes."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Also starts a new attempt, which offers the fixes that were found before."""

    async def was_observing() -> bool:
        return await context.store.observing()

    if not await context.steps.run("was observing", comment.number, was_observing):
        return switches.ALREADY_ON
    await context.store.switch(offers=True, by=comment.sender.login)
    try:
        started = await start_attempt(comment, "", context)
    except UserError as error:  # closed or paused, which doesn't keep it from being switched on
        started = str(error)
    return f"{switches.ON} {started}"
