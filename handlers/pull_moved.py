"""A pull request changed: a new head, another base, a label, a draft. Runs that nobody wants any more stop, and
standing fixes follow to the new head or base."""

from handlers import config_changed
from handlers.acceptance.applied import notice_changes
from handlers.acceptance.carry_over import follow
from handlers.comments import reasons, skips, summary
from handlers.events import PullChanged
from handlers.model import UNFINISHED, Context, Run
from handlers.runs.all_green import conclude
from handlers.runs.asking import ELSEWHERE, READY, attempts, look_again
from handlers.runs.finding import is_known
from handlers.runs.left_alone import stop, stop_what_rules_forbid
from handlers.runs.report import report


async def handle(event: PullChanged, context: Context) -> None:
    """Never starts a healing of the new head by itself: that begins when a check fails there."""
    await config_changed.answer(event, context)
    if event.action == "synchronize":
        await _moved(event, context)
    elif event.action == "ready_for_review":
        wish = f"ready:{event.number}"
        await look_again(context, event.installation_id, event.head_sha, wish, {"source": READY})
    elif event.action in ("labeled", "converted_to_draft"):
        await _restricted(event, context)
    elif event.action == "unlabeled":
        await _unlabelled(event, context)
    elif event.action == "edited":
        await _retargeted(event, context)
    elif event.action == "reopened":
        await _reopened(event, context)


async def _restricted(event: PullChanged, context: Context) -> None:
    """What works on it stops, where the repository's rules leave the pull request alone from now on."""
    if not any(run.state == "running" for run in await attempts(context.store, event.head_sha)):
        return
    pull = await context.github.pull(event.number)  # events come in any order: it may be as before again
    if pull is not None and pull.state == "open":
        await stop_what_rules_forbid(context, pull)


async def _retargeted(event: PullChanged, context: Context) -> None:
    """What was tested on the merge with the old base is tested on that with the new one; a run that was at work begins
    again there."""
    if not await attempts(context.store, event.head_sha) and not await is_known(context.store, event.number):
        return
    pull = await context.github.pull(event.number)
    if pull is None or pull.state != "open":
        return
    why = skips.retargeted(pull.base_ref)
    for run in await attempts(context.store, pull.head_sha):
        if run.state in UNFINISHED:
            await stop(context, run, why)
    if await context.store.paused_by(event.number) is not None:
        return  # `resume` tests on the base of that moment
    async with context.work_lock(event.number):
        await follow(context, pull, event.repo.full_name)
    known = await attempts(context.store, pull.head_sha)
    if known and known[-1].reason == why:
        wish = f"retargeted:{event.number}:{pull.base_ref}"
        row: dict[str, object] = {"source": READY, ELSEWHERE: True}
        await look_again(context, event.installation_id, pull.head_sha, wish, row)


async def _unlabelled(event: PullChanged, context: Context) -> None:
    """A label that had kept Heal away is gone: then what is red is looked at."""
    known = await attempts(context.store, event.head_sha)
    if not known or not await _was_left_alone(context, known[-1], skips.label(event.label or "")):
        return
    policy = await context.healer.policy(known[-1].sha, await context.github.pull(event.number))
    if policy.skip.labelled((event.label or "",)):
        wish = f"unlabelled:{event.number}"
        await look_again(context, event.installation_id, event.head_sha, wish, {"source": READY})


async def _was_left_alone(context: Context, run: Run, by_label: str) -> bool:
    """Whether an attempt found nothing because it was not to begin, or is stopped by this label."""
    if run.state == "stopped" and (run.outcome is None or run.reason == by_label):
        return True
    return run.state == "running" and await context.store.cancelled(run.sha, run.attempt) == by_label


async def _reopened(event: PullChanged, context: Context) -> None:
    """What was closed with it may be offered again by the next look: CI runs again for one that was opened again. What
    came in or went meanwhile is noticed."""
    for item in await context.store.proposals(event.number):
        if item.status == "outdated" and item.reason == reasons.PULL_CLOSED:
            await context.store.update_proposal(item, {"status": "pending", "reason": ""}, only=("outdated",))
    async with context.work_lock(event.number):  # pushes to a closed one are not processed
        pull = await context.github.pull(event.number)
        if pull is not None and await is_known(context.store, event.number):
            await context.store.note_pull(pull)
        if pull is not None and await context.store.paused_by(event.number) is None:
            await notice_changes(context, pull)


async def _moved(event: PullChanged, context: Context) -> None:
    if not await is_known(context.store, event.number):
        return
    # Events come in any order: the head is asked for, so that an old push received late doesn't stop the newest run.
    now = await context.github.pull(event.number)
    if now is None:
        return
    for run in await context.store.supersede(event.number, now.head_sha):
        await _close_check(run, context)
    if await context.store.paused_by(event.number) is not None:
        return  # `resume` follows to the head of that moment
    async with context.work_lock(event.number):
        pull = await context.github.pull(event.number)
        # A later push sends its own event; following to a head that is gone would be wasted.
        if pull is not None and pull.state == "open" and pull.head_sha == event.head_sha:
            await follow(context, pull, event.repo.full_name)
            await conclude(context, pull)  # CI may have been faster


async def _close_check(run: Run, context: Context) -> None:
    """A check that spins for ever on an old commit helps nobody."""
    await report(context, run, "Stopped", summary.stopped(skips.MOVED))
