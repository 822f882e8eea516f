"""A pull request moved, became ready or lost a label: old runs stop, standing fixes follow to the new head (IN-3)."""

from handlers import config_changed
from handlers.acceptance.all_green import conclude
from handlers.acceptance.applied import notice_changes
from handlers.acceptance.carry_over import follow
from handlers.comments import reasons, skips, summary
from handlers.events import PullChanged
from handlers.ports import Run, World
from handlers.runs.asking import READY, attempts, look_again
from handlers.runs.finding import is_known
from handlers.runs.report import report


async def handle(event: PullChanged, world: World) -> None:
    """Never starts a healing of the new head by itself: that begins when a check fails there."""
    await config_changed.answer(event, world)
    if event.action == "synchronize":
        await _moved(event, world)
    elif event.action == "ready_for_review":
        wish = f"ready:{event.number}"
        await look_again(world, event.installation_id, event.head_sha, wish, {"source": READY})
    elif event.action == "unlabeled":
        await _unlabelled(event, world)
    elif event.action == "reopened":
        await _reopened(event, world)


async def _unlabelled(event: PullChanged, world: World) -> None:
    """A label that had kept Heal away is gone: then what is red is looked at."""
    known = await attempts(world.store, event.head_sha)
    if not known or known[-1].state != "stopped" or known[-1].outcome is not None:
        return
    policy = await world.healer.policy(known[-1].sha, await world.github.pull(event.number))
    if policy.skip.labelled((event.label or "",)):
        wish = f"unlabelled:{event.number}"
        await look_again(world, event.installation_id, event.head_sha, wish, {"source": READY})


async def _reopened(event: PullChanged, world: World) -> None:
    """What was closed with it may be offered again by the next look: CI runs anew for one that was opened again. What
    came in or went meanwhile is noticed."""
    for item in await world.store.proposals(event.number):
        if item.status == "outdated" and item.reason == reasons.PULL_CLOSED:
            await world.store.update_proposal(item, {"status": "pending", "reason": ""}, only=("outdated",))
    async with world.lane(event.number):  # pushes to a closed one are not heard
        pull = await world.github.pull(event.number)
        if pull is not None and await is_known(world.store, event.number):
            await world.store.note_pull(pull)
        if pull is not None and await world.store.paused_by(event.number) is None:
            await notice_changes(world, pull)


async def _moved(event: PullChanged, world: World) -> None:
    if not await is_known(world.store, event.number):
        return
    # Events come in any order: the head is asked for, so that an old push heard late doesn't stop the newest run.
    now = await world.github.pull(event.number)
    if now is None:
        return
    for run in await world.store.supersede(event.number, now.head_sha):
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
    await report(world, run, "Stopped", summary.skipped(skips.MOVED))
