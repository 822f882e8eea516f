"""Handles a check suite that GitHub opened for Heal on a push, although Heal creates check runs only after a failure.

A suite without a check run stays queued for ever, and bots that merge when all suites are completed wait for it. So
automatic suites are switched off for the repository, and the suite that was opened gets a check run.
"""

from handlers.comments import summary
from handlers.events import SuiteRequested
from handlers.model import Context
from handlers.model.plans import CheckPlan
from handlers.runs.asking import attempts


async def handle(event: SuiteRequested, context: Context) -> None:
    """Switches automatic suites off and creates the check run. If GitHub refuses the switch, each push repeats both."""
    if event.app_slug != context.slug:
        return
    if event.app_id is not None:
        await context.publisher.open_suites_itself(event.app_id)
    if await attempts(context.store, event.sha):
        return  # something has failed already, and that attempt has its own check run
    plan = CheckPlan(
        sha=event.sha,
        external_id=f"heal:{event.sha}:nothing",
        status="completed",
        conclusion="neutral",
        title=summary.NOTHING_FAILED,
        summary=summary.nothing_failed(),
    )
    await context.publisher.check(plan)
