"""All checks of one app on a commit are done: an attempt that still gathers may start (IN-3)."""

from handlers.events import SuiteSettled
from handlers.ports import World

MOST_ATTEMPTS = 100


async def handle(event: SuiteSettled, world: World) -> None:
    """Asks for the healing of the attempt that gathers; nothing where no failure was heard of."""
    for attempt in range(1, MOST_ATTEMPTS):
        run = await world.store.run(event.sha, attempt)
        if run is None:
            return
        if run.state == "gathering":
            await world.queue.healing(run)
