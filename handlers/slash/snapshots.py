"""`/heal snapshots`: updates the snapshots that tests compare with, because a person says that the new output is
right."""

from typing import Literal

from handlers.events import CommentCreated
from handlers.model import Context
from handlers.slash.start import start_attempt

SYNTAX = "/heal snapshots"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Updates stale test snapshots. Use it when the new output is right."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Starts an attempt in which the test tool may write its snapshots."""
    return await start_attempt(comment, "", context, kind="snapshots")
