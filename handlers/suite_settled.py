"""All checks of one app on a commit are done: an attempt may start, or nothing is left to heal."""

from handlers.delivery.fixups import life
from handlers.events import SuiteSettled
from handlers.model import Context, Run
from handlers.runs.all_green import conclude_head
from handlers.runs.asking import attempts
from handlers.runs.merge_queue import is_queue
from handlers.runs.report import report_again


async def handle(event: SuiteSettled, context: Context) -> None:
    """Asks for the healing of the attempt that gathers. Where no failure was received, the commit may be the green head
    of a pull request that was red before."""
    await context.store.settle(event.sha, event.check_suite_id)
    if is_queue(event.head_branch):
        return  # what failed there is reported on the pull request's head
    await life.ci_reported(context, event.sha, event.head_branch)
    known = await attempts(context.store, event.sha)
    for run in known:
        if run.state == "gathering":
            await context.queue.healing(run)
    if known:
        await _tell_of_reruns(known, event.sha, context)
        return
    await conclude_head(context, event.sha, event.pull_numbers)


async def _tell_of_reruns(known: tuple[Run, ...], sha: str, context: Context) -> None:
    """GitHub runs nothing again before it has ended: now it may, or has."""
    if any(run.outcome and run.outcome.retryable for run in known):
        async with context.work_lock(known[-1].number or 0):
            await report_again(context, sha)
