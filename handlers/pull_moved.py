"""A pull request moved or became ready: old runs stop, standing fixes follow to the new head (IN-3, GH-6)."""

from handlers.all_green import conclude
from handlers.asking import READY, look_again
from handlers.carry_over import follow
from handlers.comments import summary
from handlers.events import PullChanged
from handlers.healing_run import MOVED
from handlers.ports import Run, World
from handlers.report import report


async def handle(event: PullChanged, world: World) -> None:
    """Never starts a healing of the new head by itself: that begins when a check fails there."""
    if event.action == "synchronize":
        await _moved(event, world)
    elif event.action == "ready_for_review":
        wish = f"ready:{event.number}"
        await look_again(world, event.installation_id, event.head_sha, wish, {"source": READY})


async def _moved(event: PullChanged, world: World) -> None:
    for run in await world.store.supersede(event.number, event.head_sha):
        await _close_check(run, world)
    if await world.store.paused_by(event.number) is not None:
        return  # `resume` follows to the head of that moment
    async with world.lane(event.number):
        pull = await world.github.pull(event.number)
        # A later push sends its own event; following to a head that is gone would be wasted.
        if pull is not None and pull.state == "open" and pull.head_sha == event.head_sha:
            await follow(world, pull, event.repo.full_name)
            await conclude(world, pull)  # CI may have been faster


async def _close_check(run: Run, world: World) -> None:
    """A check that spins for ever on an old commit helps nobody."""
    await report(world, run, "Stopped", summary.skipped(MOVED))
