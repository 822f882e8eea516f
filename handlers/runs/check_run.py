"""Heal's check run of one attempt: queued as soon as work is expected, then in progress, then completed.

GitHub never opens a completed check run again, so each further attempt at a commit has one of its own, with the same
name: pages and lists show the newest.
"""

import logging

from handlers.comments import buttons, skips, summary
from handlers.model import Context, Refused, Run
from handlers.model.plans import CheckPlan
from handlers.model.refusal import is_final
from handlers.runs.finding import Failures, default_branch_of, find_pull

NO_ATTEMPT = 0  # of a head that is green, so that nobody works on it
ASKED_FOR = 3  # failures of an attempt, until whose pull request is looked for

log = logging.getLogger("heal.check_run")


async def announce(context: Context, run: Run) -> None:
    """Makes the queued check run of an attempt that still waits for its failures, where work will come of it: the
    commit is a pull request's, or the default branch's. Work doesn't wait for it."""
    if run.state != "gathering" or await context.store.check_noted(run.sha, run.attempt):
        return
    failures = await context.store.failures(run.sha, run.attempt)
    try:
        if not await _expected(context, run, failures):
            return
    except Refused as error:
        if error.retry_after is not None:
            raise
        return
    await write(context, check_plan(run, "queued", summary.QUEUED, summary.queued()), run.attempt)


async def _expected(context: Context, run: Run, failures: Failures) -> bool:
    if default_branch_of(failures, run.repo_id) is not None or run.number is not None:
        return True
    # A push to a branch without a pull request may fail in a hundred jobs: GitHub is not asked about each.
    return len(failures) <= ASKED_FOR and await find_pull(context.github, run, failures) is not None


async def write(context: Context, plan: CheckPlan, attempt: int) -> None:
    """Writes the check run, and remembers until it has ended that it has to: what GitHub doesn't let us write now is
    written later (`bot.rounds.sweeping`). Raises Refused for a limit, and of a plan that completes the check run also
    where GitHub is out of order."""
    if attempt != NO_ATTEMPT:
        plan = plan.model_copy(update={"details_url": context.addresses.run(plan.sha, attempt)})
    await context.store.note_check(plan, attempt)
    done = plan.status == "completed"
    try:
        await context.publisher.check(plan)
    except Refused as error:
        if error.retry_after is not None or (done and not is_final(error)):
            raise
        log.warning("the check run of %s/%d could not be written: %s", plan.sha, attempt, error)
        return
    if done:
        await context.store.forget_check(plan.sha, attempt)


def check_plan(
    run: Run,
    status: str,
    title: str,
    text: str,
    *,
    ok: bool = False,
    apply_all: bool = False,
    rerun: bool = False,
    rollback: bool = False,
) -> CheckPlan:
    """The check run of an attempt. It never fails: Heal must not block a merge. Three buttons are all that GitHub
    shows."""
    done = status == "completed"
    wanted = (
        (rollback, buttons.ROLL_BACK),
        (apply_all, buttons.APPLY_ALL),
        (rerun and not (rollback and apply_all), buttons.RERUN_FAILED),
        (done, buttons.RETRY),
    )
    return CheckPlan.model_validate(
        {
            "sha": run.sha,
            "external_id": external_id(run.sha, run.attempt),
            "status": status,
            "conclusion": ("success" if ok else "neutral") if done else None,
            "title": title,
            "summary": text,
            "actions": tuple(button for shown, button in wanted if shown),
        }
    )


def ended(sha: str, attempt: int) -> CheckPlan:
    """Of an attempt that is over and of which nothing else is known."""
    return CheckPlan(
        sha=sha,
        external_id=external_id(sha, attempt),
        status="completed",
        conclusion="neutral",
        title="Stopped",
        summary=summary.stopped(skips.ENDED),
        actions=(buttons.RETRY,),
    )


def external_id(sha: str, attempt: int) -> str:
    """Finds the attempt's check run again."""
    return f"heal:{sha}:{attempt}"
