"""A commit status passed: where CI speaks only by statuses, this is how a green head is received."""

from handlers.delivery.fixups import life
from handlers.events import StatusPassed
from handlers.model import Context
from handlers.runs.all_green import conclude_head
from handlers.runs.asking import attempts
from handlers.runs.merge_queue import is_queue


async def handle(event: StatusPassed, context: Context) -> None:
    """Looks whether all that CI says of the commit is green now: checks and statuses. A commit that failed before
    tells its own story."""
    if is_queue(event.head_branch):
        return
    await life.ci_reported(context, event.sha, event.head_branch)
    if not await attempts(context.store, event.sha):
        await conclude_head(context, event.sha)
