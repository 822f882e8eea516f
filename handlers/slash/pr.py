"""`/heal pr`: a pull request with fixes, into the pull request's branch; for `fixup_pr: on_request`."""

from typing import Literal

from handlers.comments.clean import joined
from handlers.events import CommentCreated
from handlers.model import STANDING, Context
from handlers.slash.apply import for_fork
from handlers.slash.by_pull import by_pull
from handlers.slash.reading.choice import choose
from handlers.slash.start import open_pull

SYNTAX = "/heal pr <id…|all>"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Tests fixes again on the current commit and opens a pull request with them."


async def run(comment: CommentCreated, args: tuple[str, ...], context: Context) -> str:
    """One commit a fix. Nothing is ever pushed for a fork: there the answer is the patches."""
    choice = await choose(comment, args, context, "pr", STANDING)
    pull = await open_pull(comment, context)
    if pull.is_fork_of(comment.repo.full_name):
        return await for_fork(choice.stored, pull, context)
    made = await by_pull(comment, pull, choice.stored, context)
    return joined(["\n".join(made.lines), *made.more])
