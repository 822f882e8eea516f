"""GitHub opened a check suite of Heal's for a push: nothing may wait for it, since Heal makes a check run only where
something failed.

A suite without a check run stays queued for ever, and bots that merge when all suites have ended wait for it. So GitHub
is asked, once for each repository, to open none by itself; the suite that is there already gets a check run.
"""

from handlers.comments import summary
from handlers.events import SuiteRequested
from handlers.model import Context
from handlers.model.plans import CheckPlan
from handlers.runs.asking import attempts


async def handle(event: SuiteRequested, context: Context) -> None:
    """Where GitHub refuses the switch, each push asks again and gets its check run."""
    if event.app_slug != context.slug:
        return
    if event.app_id is not None:
        await context.publisher.open_suites_itself(event.app_id)
    if await attempts(context.store, event.sha):
        return  # something failed already: that look has a check run of its own
    plan = CheckPlan(
        sha=event.sha,
        external_id=f"heal:{event.sha}:nothing",
        status="completed",
        conclusion="neutral",
        title=summary.NOTHING_FAILED,
        summary=summary.nothing_failed(),
    )
    await context.publisher.check(plan)
