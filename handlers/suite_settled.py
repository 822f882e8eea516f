"""Handles the completion of all checks of one app on a commit: an attempt may start, or nothing is left to fix."""

from handlers.delivery.fixups import life
from handlers.events import SuiteSettled
from handlers.model import Context, Run
from handlers.runs.all_green import conclude_head
from handlers.runs.asking import attempts
from handlers.runs.merge_queue import is_queue
from handlers.runs.report import report_again


async def handle(event: SuiteSettled, context: Context) -> None:
    """Wakes the queue for an attempt in its debounce window. Without failures, the commit may be the green head of a
    pull request that was red before."""
    await context.store.settle(event.sha, event.check_suite_id)
    if is_queue(event.head_branch):
        return  # what failed there is reported on the pull request's head
    await life.ci_reported(context, event.sha, event.head_branch)
    known = await attempts(context.store, event.sha)
    for run in known:
        if run.state == "gathering":
            await context.queue.healing(run)
    if known:
        await _report_reruns(known, event.sha, context)
        return
    await conclude_head(context, event.sha, event.pull_numbers)


async def _report_reruns(known: tuple[Run, ...], sha: str, context: Context) -> None:
    """Updates the report on re-runs: GitHub re-runs jobs only after their run is completed, so they may be possible
    now, or have run."""
    if any(run.outcome and run.outcome.retryable for run in known):
        async with context.work_lock(known[-1].number or 0):
            await report_again(context, sha)
