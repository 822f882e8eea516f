"""`/heal cancel`: ends the run in progress on this pull request."""

from typing import Literal

from handlers.comments import cancelling
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import UNFINISHED, Context, Run
from handlers.runs.asking import attempts
from handlers.runs.ending import cancel_runs
from handlers.slash.start import open_pull

SYNTAX = "/heal cancel"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Ends the run in progress; the check run keeps what it found."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Cancels every unfinished run. Raises UserError if there is none."""

    async def find() -> list[Run]:
        return await _unfinished(comment, context)

    why = cancelling.why(comment.sender.login, comment.where == "dashboard")
    ended = await cancel_runs(context, comment.number, find, why)
    if not ended.over and not ended.at_work:
        raise UserError(cancelling.NOTHING)
    return cancelling.cancelled(ended.over, ended.at_work)


async def _unfinished(comment: CommentCreated, context: Context) -> list[Run]:
    """The unfinished runs of the pull request, and attempts at its head that wait for failures: their pull request is
    not stored yet."""
    pull = await open_pull(comment, context)
    runs = (*await context.store.runs(comment.number), *await attempts(context.store, pull.head_sha))
    return [run for run in {(one.sha, one.attempt): one for one in runs}.values() if run.state in UNFINISHED]
