"""`/heal config`: shows the settings of this repository and where each comes from."""

from typing import Literal

from handlers.comments.settings import current
from handlers.events import CommentCreated
from handlers.model import Context
from handlers.slash.start import open_pull

SYNTAX = "/heal config"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Shows the settings of this repository and errors in `.github/heal.yml`."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Reads the settings from the base branch, as every run does."""
    pull = await open_pull(comment, context)
    return current(await context.healer.settings(pull), pull.base_ref)
