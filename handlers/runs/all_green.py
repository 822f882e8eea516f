"""A pull request that Heal looked at is green: a check run on its new head says so, with what was applied."""

from handlers.comments import summary
from handlers.model import STANDING, Context, Pull, Run
from handlers.model.plans import CheckPlan
from handlers.runs.check_run import NO_ATTEMPT, external_id, write


async def conclude_head(context: Context, sha: str, numbers: tuple[int, ...] = ()) -> None:
    """Does so for each pull request whose head the commit is, as Heal noted or GitHub's event says (`numbers`; it lists
    none for forks and statuses). Asks GitHub only about those that Heal looked at."""
    for number in sorted({*numbers, *await context.store.pulls_at(sha)}):
        if await was_looked_at(context, number, sha):
            async with context.work_lock(number):
                pull = await context.github.pull(number)
                if pull is not None and pull.state == "open" and pull.head_sha == sha:
                    await conclude(context, pull)


async def conclude(context: Context, pull: Pull) -> None:
    """Says `success` on a head where CI is green and nothing is offered any more. Quiet where Heal never looked, and on
    a head that has a run of its own: that tells its own story. To be called in its `work_lock`."""
    if not await was_looked_at(context, pull.number, pull.head_sha) or await context.store.paused_by(pull.number):
        return
    stored = await context.store.proposals(pull.number)
    if any(item.status in STANDING for item in stored):
        return
    if await context.github.ci_state(pull.head_sha, context.slug) != "green":
        return
    plan = CheckPlan(
        sha=pull.head_sha,
        external_id=external_id(pull.head_sha, NO_ATTEMPT),
        status="completed",
        conclusion="success",
        title=summary.NOTHING_LEFT,
        summary=summary.nothing_left(stored),
    )
    await write(context, plan, NO_ATTEMPT)


async def was_looked_at(context: Context, number: int, sha: str) -> bool:
    """Whether earlier heads of the pull request were looked at, and this one needed no look."""
    runs = await context.store.runs(number)
    return any(_looked(run) for run in runs) and not any(run.sha == sha for run in runs)


def _looked(run: Run) -> bool:
    return run.outcome is not None and bool(run.outcome.errors)
