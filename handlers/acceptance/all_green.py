"""A pull request that Heal looked at is green: its new head is told so, with what was applied (GH-3)."""

from handlers.comments import summary
from handlers.delivery.plans import CheckPlan
from handlers.ports import STANDING, Pull, Run, World
from handlers.runs.check_run import NO_ATTEMPT, external_id, write


async def conclude_head(world: World, sha: str, numbers: tuple[int, ...] = ()) -> None:
    """Does so for each pull request whose head the commit is, as Heal noted or GitHub's event says (`numbers`; it lists
    none for forks and statuses). Asks GitHub only about those that Heal looked at."""
    for number in sorted({*numbers, *await world.store.pulls_at(sha)}):
        if await was_looked_at(world, number, sha):
            async with world.lane(number):
                pull = await world.github.pull(number)
                if pull is not None and pull.state == "open" and pull.head_sha == sha:
                    await conclude(world, pull)


async def conclude(world: World, pull: Pull) -> None:
    """Says `success` on a head where CI is green and nothing is offered any more. Quiet where Heal never looked, and on
    a head that has a run of its own: that tells its own story. To be called in the pull request's lane."""
    if not await was_looked_at(world, pull.number, pull.head_sha) or await world.store.paused_by(pull.number):
        return
    stored = await world.store.proposals(pull.number)
    if any(item.status in STANDING for item in stored):
        return
    if await world.github.ci_state(pull.head_sha, world.slug) != "green":
        return
    plan = CheckPlan(
        sha=pull.head_sha,
        external_id=external_id(pull.head_sha, NO_ATTEMPT),
        status="completed",
        conclusion="success",
        title=summary.NOTHING_LEFT,
        summary=summary.nothing_left(stored),
    )
    await write(world, plan, NO_ATTEMPT)


async def was_looked_at(world: World, number: int, sha: str) -> bool:
    """Whether earlier heads of the pull request were looked at, and this one needed no look."""
    runs = await world.store.runs(number)
    return any(_looked(run) for run in runs) and not any(run.sha == sha for run in runs)


def _looked(run: Run) -> bool:
    return run.outcome is not None and bool(run.outcome.errors)
