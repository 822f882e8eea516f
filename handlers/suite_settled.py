"""All checks of one app on a commit are done: an attempt may start, or nothing is left to heal (IN-3, GH-3)."""

from handlers.all_green import conclude, was_looked_at
from handlers.asking import attempts
from handlers.events import SuiteSettled
from handlers.ports import Run, World
from handlers.report import report_again


async def handle(event: SuiteSettled, world: World) -> None:
    """Asks for the healing of the attempt that gathers. Where no failure was heard of, the commit may be the green head
    of a pull request that was red before."""
    known = await attempts(world.store, event.sha)
    for run in known:
        if run.state == "gathering":
            await world.queue.healing(run)
    if known:
        await _tell_of_reruns(known, event.sha, world)
        return
    for number in await _numbers(event, world):
        if await was_looked_at(world, number, event.sha):
            async with world.lane(number):
                pull = await world.github.pull(number)
                if pull is not None and pull.state == "open" and pull.head_sha == event.sha:
                    await conclude(world, pull)


async def _tell_of_reruns(known: tuple[Run, ...], sha: str, world: World) -> None:
    """GitHub runs nothing again before it has ended: now it may, or has (IN-6)."""
    if any(run.outcome and run.outcome.retryable for run in known):
        async with world.lane(known[-1].number or 0):
            await report_again(world, sha)


async def _numbers(event: SuiteSettled, world: World) -> tuple[int, ...]:
    """The payload lists no pull requests from forks: those are asked for, but not for every push to the main branch."""
    if event.pull_numbers or event.head_branch == event.repo.default_branch:
        return event.pull_numbers
    return tuple(pull.number for pull in await world.github.pulls_of(event.sha, event.head_branch, None))
