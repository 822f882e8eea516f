"""Cancels runs at a person's request."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from handlers.comments import cancelling, summary
from handlers.model import Context, Run
from handlers.runs.report import report
from healing.steps import Json


class CancelledRuns(NamedTuple):
    """The commits of the runs that are over now, and of those that end after their current step."""

    over: tuple[str, ...]
    at_work: tuple[str, ...]


async def cancel_runs(
    context: Context, about: int | str, find: Callable[[], Awaitable[list[Run]]], why: str
) -> CancelledRuns:
    """Cancels the runs that `find` returns. One that hasn't started is over now; a running one ends before its next
    step (`healing_run`). `about` is the pull request or the commit that was named. This is a durable step: repeated
    after a restart it returns the same result, and cancels no newer runs. Raises what `find` raises."""

    async def cancel() -> Json:
        ended: dict[str, list[list[object]]] = {"over": [], "at work": []}
        for run in await find():
            over = await context.store.cancel(run.sha, run.attempt, why)
            ended["over" if over else "at work"].append([run.sha, run.attempt])
        return ended

    ended = await context.steps.run("cancel", about, cancel)
    for sha, attempt in ended["over"]:
        stopped = await context.store.run(sha, attempt)
        if stopped is not None and await context.store.check_noted(sha, attempt):
            await report(context, stopped, cancelling.TITLE, summary.stopped(why))
    return CancelledRuns(*(tuple(sha for sha, _ in ended[how]) for how in ("over", "at work")))
