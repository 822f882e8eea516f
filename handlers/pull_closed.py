"""A pull request was closed: its runs stop, its fixup pull requests are closed too (GH-5)."""

from handlers.comments import summary
from handlers.delivery import fixup_branch
from handlers.events import PullClosed
from handlers.healing_run import CLOSED
from handlers.ports import World
from handlers.report import report


async def handle(event: PullClosed, world: World) -> None:
    """Merged or not: nothing that was offered for it can be taken any more through a fixup pull request."""
    for run in await world.store.supersede(event.number, keep_sha=""):
        await report(world, run, "Stopped", summary.skipped(CLOSED))
    closed: set[int] = set()
    for item in await world.store.proposals(event.number):
        if item.status != "offered" or item.fixup_number is None:
            continue
        if item.fixup_number not in closed:
            closed.add(item.fixup_number)
            why = f"Closed, because pull request #{event.number} was closed."
            await world.publisher.close_fixup(item.fixup_number, fixup_branch(item.run_id, item.attempt), why)
        reason = "the pull request was closed"
        await world.store.update_proposal(item, {"status": "outdated", "reason": reason}, only=("offered",))
