"""`/heal dry-run`: finds and tests fixes, but offers none."""

from typing import Literal

from handlers.events import CommentCreated
from handlers.model import Context
from handlers.slash.start import start_attempt

SYNTAX = "/heal dry-run"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Finds and tests fixes without posting them; the check run lists them."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Starts an attempt at the pull request's head. Its fixes are stored, so that `/heal apply` can commit them."""
    return await start_attempt(comment, "", context, kind="dry")
