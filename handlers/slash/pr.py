"""`/heal pr`: opens a pull request with fixes against the pull request's branch, as for `fixup_pr: on_request`."""

from typing import Literal

from handlers.comments.clean import joined
from handlers.events import CommentCreated
from handlers.model import STANDING, Context
from handlers.slash.apply import for_fork
from handlers.slash.reading.choice import choose
from handlers.slash.start import open_pull
from handlers.slash.via_pull_request import offer_in_pull_request

SYNTAX = "/heal pr <id…|all>"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Tests fixes again on the current commit and opens a pull request with them."


async def run(comment: CommentCreated, args: tuple[str, ...], context: Context) -> str:
    """Makes one commit for each fix. Nothing is pushed for a fork; there the answer has patches."""
    choice = await choose(comment, args, context, "pr", STANDING)
    pull = await open_pull(comment, context)
    if pull.is_fork_of(comment.repo.full_name):
        return await for_fork(choice.stored, pull, context)
    made = await offer_in_pull_request(comment, pull, choice.stored, context)
    return joined(["\n".join(made.lines), *made.more])
