"""`/heal cancel`: ends the run that is in progress on this pull request, now."""

from typing import Literal

from handlers.comments import cancelling, summary
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import UNFINISHED, Context, Run
from handlers.runs.asking import attempts
from handlers.runs.report import report
from handlers.slash.start import open_pull
from healing.steps import Json

SYNTAX = "/heal cancel"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Ends the run in progress; the check run keeps what it found."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """A run that nobody works on yet ends by this; one at work ends before its next step (`healing_run`)."""
    why = cancelling.why(comment.sender.login, comment.where == "dashboard")

    async def cancel() -> Json:
        """Once, so that a second life of this command answers the same, and cancels nothing that began since."""
        ended: dict[str, list[list[object]]] = {"over": [], "at work": []}
        for one in await _unfinished(comment, context):
            over = await context.store.cancel(one.sha, one.attempt, why)
            ended["over" if over else "at work"].append([one.sha, one.attempt])
        return ended

    ended = await context.steps.run("cancel", comment.number, cancel)
    for sha, attempt in ended["over"]:
        stopped = await context.store.run(sha, attempt)
        if stopped is not None and await context.store.check_noted(sha, attempt):
            await report(context, stopped, cancelling.TITLE, summary.stopped(why))
    if not ended["over"] and not ended["at work"]:
        raise UserError(cancelling.NOTHING)
    return cancelling.cancelled(*(tuple(sha for sha, _ in ended[how]) for how in ("over", "at work")))


async def _unfinished(comment: CommentCreated, context: Context) -> list[Run]:
    """Also those at the head that don't know their pull request yet, because they wait for failures."""
    pull = await open_pull(comment, context)
    known = (*await context.store.runs(comment.number), *await attempts(context.store, pull.head_sha))
    return [run for run in {(one.sha, one.attempt): one for one in known}.values() if run.state in UNFINISHED]
