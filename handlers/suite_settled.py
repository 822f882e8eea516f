"""All checks of one app on a commit are done: an attempt may start, or nothing is left to heal (IN-3, GH-3)."""

from handlers.acceptance.all_green import conclude_head
from handlers.events import SuiteSettled
from handlers.fixups import life
from handlers.ports import Run, World
from handlers.runs.asking import attempts
from handlers.runs.merge_queue import is_queue
from handlers.runs.report import report_again


async def handle(event: SuiteSettled, world: World) -> None:
    """Asks for the healing of the attempt that gathers. Where no failure was heard of, the commit may be the green head
    of a pull request that was red before."""
    if is_queue(event.head_branch):
        return  # what failed there is told of on the pull request's head
    await life.heard(world, event.sha, event.head_branch)
    known = await attempts(world.store, event.sha)
    for run in known:
        if run.state == "gathering":
            await world.queue.healing(run)
    if known:
        await _tell_of_reruns(known, event.sha, world)
        return
    await conclude_head(world, event.sha, event.pull_numbers)


async def _tell_of_reruns(known: tuple[Run, ...], sha: str, world: World) -> None:
    """GitHub runs nothing again before it has ended: now it may, or has (IN-6)."""
    if any(run.outcome and run.outcome.retryable for run in known):
        async with world.lane(known[-1].number or 0):
            await report_again(world, sha)
