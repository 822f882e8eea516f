"""`/heal unfixable`: lists the errors without a fix, and why they have none."""

from typing import Literal

from handlers.comments import answers
from handlers.events import CommentCreated
from handlers.model import Context

SYNTAX = "/heal unfixable"
PERMISSION: Literal["anyone", "write"] = "anyone"
HELP = "Lists the errors that have no fix, why, and what you can do."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Lists the reports, and what could not be checked in the last run."""
    runs = await context.store.runs(comment.number)
    return answers.unfixables(await context.store.unfixables(comment.number), runs[0] if runs else None)
