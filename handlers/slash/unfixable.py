"""`/heal unfixable`: what Heal can't fix here, and why."""

from typing import Literal

from handlers.comments import answers
from handlers.events import CommentCreated
from handlers.model import Context

SYNTAX = "/heal unfixable"
PERMISSION: Literal["anyone", "write"] = "anyone"
HELP = "Lists the errors that have no fix, why, and what you can do."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """The reports, and what could not be looked at in the last run."""
    runs = await context.store.runs(comment.number)
    return answers.unfixables(await context.store.unfixables(comment.number), runs[0] if runs else None)
