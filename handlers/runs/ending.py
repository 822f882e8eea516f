"""Runs that a person ends before they are done."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from handlers.comments import cancelling, summary
from handlers.model import Context, Run
from handlers.runs.report import report
from healing.steps import Json


class Ended(NamedTuple):
    """The commits of the runs that are over by this, and of those that end after their step."""

    over: tuple[str, ...]
    at_work: tuple[str, ...]


async def end_now(context: Context, about: int | str, find: Callable[[], Awaitable[list[Run]]], why: str) -> Ended:
    """Cancels the runs that `find` gives. One that nobody works on yet is over by this; one at work ends before its
    next step (`healing_run`). `about` is the pull request or the commit that was named. Done once: a second life gives
    the same answer, and cancels nothing that began since. Raises what `find` raises."""

    async def cancel() -> Json:
        ended: dict[str, list[list[object]]] = {"over": [], "at work": []}
        for one in await find():
            over = await context.store.cancel(one.sha, one.attempt, why)
            ended["over" if over else "at work"].append([one.sha, one.attempt])
        return ended

    ended = await context.steps.run("cancel", about, cancel)
    for sha, attempt in ended["over"]:
        stopped = await context.store.run(sha, attempt)
        if stopped is not None and await context.store.check_noted(sha, attempt):
            await report(context, stopped, cancelling.TITLE, summary.stopped(why))
    return Ended(*(tuple(sha for sha, _ in ended[how]) for how in ("over", "at work")))
