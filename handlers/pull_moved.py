"""Handles changes of a pull request: a new head, another base, a label, a draft. Stops obsolete runs, and carries
undecided fixes over to the new head or base."""

from handlers import config_changed
from handlers.acceptance.applied import notice_changes
from handlers.acceptance.carry_over import move_fixes_to_head
from handlers.comments import reasons, skips, summary
from handlers.events import PullChanged
from handlers.model import UNFINISHED, Context, Run
from handlers.runs.all_green import conclude
from handlers.runs.asking import ELSEWHERE, READY, attempts, open_next_attempt
from handlers.runs.finding import is_known
from handlers.runs.left_alone import stop, stop_what_rules_forbid
from handlers.runs.report import report


async def handle(event: PullChanged, context: Context) -> None:
    """Handles the change. A new head alone never starts a run: that starts when a check fails there."""
    await config_changed.answer(event, context)
    if event.action == "synchronize":
        await _moved(event, context)
    elif event.action == "ready_for_review":
        wish = f"ready:{event.number}"
        await open_next_attempt(context, event.installation_id, event.head_sha, wish, {"source": READY})
    elif event.action in ("labeled", "converted_to_draft"):
        await _restricted(event, context)
    elif event.action == "unlabeled":
        await _unlabelled(event, context)
    elif event.action == "edited":
        await _retargeted(event, context)
    elif event.action == "reopened":
        await _reopened(event, context)


async def _restricted(event: PullChanged, context: Context) -> None:
    """Stops runs if the repository's rules now exclude the pull request."""
    if not any(run.state == "running" for run in await attempts(context.store, event.head_sha)):
        return
    pull = await context.github.pull(event.number)  # current state: events may arrive in any order
    if pull is not None and pull.state == "open":
        await stop_what_rules_forbid(context, pull)


async def _retargeted(event: PullChanged, context: Context) -> None:
    """Tests fixes again on the merge with the new base; an unfinished run is stopped and started again there."""
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
        return  # `/heal resume` tests on the base at that time
    async with context.work_lock(event.number):
        await move_fixes_to_head(context, pull, event.repo.full_name)
    known = await attempts(context.store, pull.head_sha)
    if known and known[-1].reason == why:
        wish = f"retargeted:{event.number}:{pull.base_ref}"
        row: dict[str, object] = {"source": READY, ELSEWHERE: True}
        await open_next_attempt(context, event.installation_id, pull.head_sha, wish, row)


async def _unlabelled(event: PullChanged, context: Context) -> None:
    """If the removed label had excluded the pull request, starts a run for its known failures."""
    known = await attempts(context.store, event.head_sha)
    if not known or not await _was_left_alone(context, known[-1], skips.label(event.label or "")):
        return
    policy = await context.healer.policy(known[-1].sha, await context.github.pull(event.number))
    if policy.skip.labelled((event.label or "",)):
        wish = f"unlabelled:{event.number}"
        await open_next_attempt(context, event.installation_id, event.head_sha, wish, {"source": READY})


async def _was_left_alone(context: Context, run: Run, by_label: str) -> bool:
    """Whether the attempt never began, or was stopped or cancelled because of this label."""
    if run.state == "stopped" and (run.outcome is None or run.reason == by_label):
        return True
    return run.state == "running" and await context.store.cancelled(run.sha, run.attempt) == by_label


async def _reopened(event: PullChanged, context: Context) -> None:
    """Makes fixes that were outdated by closing available to the next run, which starts when CI fails again. Also
    detects fixes that were applied or reverted meanwhile."""
    for item in await context.store.proposals(event.number):
        if item.status == "outdated" and item.reason == reasons.PULL_CLOSED:
            await context.store.update_proposal(item, {"status": "pending", "reason": ""}, only=("outdated",))
    async with context.work_lock(event.number):  # pushes were not processed while it was closed
        pull = await context.github.pull(event.number)
        if pull is not None and await is_known(context.store, event.number):
            await context.store.note_pull(pull)
        if pull is not None and await context.store.paused_by(event.number) is None:
            await notice_changes(context, pull)


async def _moved(event: PullChanged, context: Context) -> None:
    if not await is_known(context.store, event.number):
        return
    # Events may arrive in any order: use the current head, so that a late event of an old push stops no newer run.
    now = await context.github.pull(event.number)
    if now is None:
        return
    for run in await context.store.supersede(event.number, now.head_sha):
        await _close_check(run, context)
    if await context.store.paused_by(event.number) is not None:
        return  # `/heal resume` carries over to the head at that time
    async with context.work_lock(event.number):
        pull = await context.github.pull(event.number)
        # A later push sends its own event; carrying over to a head that is no longer current would be wasted.
        if pull is not None and pull.state == "open" and pull.head_sha == event.head_sha:
            await move_fixes_to_head(context, pull, event.repo.full_name)
            await conclude(context, pull)  # CI may have completed already


async def _close_check(run: Run, context: Context) -> None:
    """Completes the check run of a superseded run, which would otherwise stay in progress on the old commit."""
    await report(context, run, summary.STOPPED, summary.stopped(skips.MOVED))
