"""Handles a passed commit status: the event of a green head where CI reports only by statuses."""

from handlers.delivery.fixups import life
from handlers.events import StatusPassed
from handlers.model import Context
from handlers.runs.all_green import conclude_head
from handlers.runs.asking import attempts
from handlers.runs.merge_queue import is_queue


async def handle(event: StatusPassed, context: Context) -> None:
    """Checks whether all checks and statuses of the commit are green now. A commit with attempts is skipped: it has its
    own check run."""
    if is_queue(event.head_branch):
        return
    await life.ci_reported(context, event.sha, event.head_branch)
    if not await attempts(context.store, event.sha):
        await conclude_head(context, event.sha)
