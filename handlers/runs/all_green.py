"""Posts a successful check run on the green head of a pull request that Heal worked on, with the applied fixes."""

from handlers.comments import summary
from handlers.model import STANDING, Context, Pull, Run
from handlers.model.plans import CheckPlan
from handlers.runs.check_run import NO_ATTEMPT, external_id, write


async def conclude_head(context: Context, sha: str, numbers: tuple[int, ...] = ()) -> None:
    """Calls `conclude` for each pull request with this head, as recorded by Heal or listed by GitHub's event
    (`numbers`; empty for forks and statuses). Sends requests only about those that Heal worked on."""
    for number in sorted({*numbers, *await context.store.pulls_at(sha)}):
        if await had_errors_before(context, number, sha):
            async with context.work_lock(number):
                pull = await context.github.pull(number)
                if pull is not None and pull.state == "open" and pull.head_sha == sha:
                    await conclude(context, pull)


async def conclude(context: Context, pull: Pull) -> None:
    """Posts `success` on a head where CI is green and no fix is undecided. Posts nothing where Heal never found errors,
    where it is paused, and on a head with a run of its own. Must be called inside the `work_lock`."""
    if not await had_errors_before(context, pull.number, pull.head_sha) or await context.store.paused_by(pull.number):
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


async def had_errors_before(context: Context, number: int, sha: str) -> bool:
    """Whether Heal found errors on earlier heads of the pull request, and this head has no run."""
    runs = await context.store.runs(number)
    return any(_found_errors(run) for run in runs) and not any(run.sha == sha for run in runs)


def _found_errors(run: Run) -> bool:
    return run.outcome is not None and bool(run.outcome.errors)
