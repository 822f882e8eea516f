"""Heal's check run of one attempt: queued as soon as work is expected, then in progress, then completed.

GitHub never reopens a completed check run, so each further attempt at a commit has its own check run of the same name;
GitHub shows the newest.
"""

import logging

from handlers.comments import buttons, skips, summary
from handlers.model import Context, Refused, Run
from handlers.model.plans import CheckPlan
from handlers.model.refusal import is_final
from handlers.runs.finding import Failures, default_branch_of, find_pull

NO_ATTEMPT = 0  # for a green head, which has no attempt
ASKED_FOR = 3  # up to so many failures of an attempt its pull request is searched

log = logging.getLogger("heal.check_run")


async def announce(context: Context, run: Run) -> None:
    """Creates the queued check run of an attempt in its debounce window, if the commit belongs to a pull request or the
    default branch. Errors of GitHub are ignored, except rate limits: the run doesn't depend on it."""
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
    # A push to a branch without a pull request may fail in a hundred jobs: don't send requests for each.
    return len(failures) <= ASKED_FOR and await find_pull(context.github, run, failures) is not None


async def write(context: Context, plan: CheckPlan, attempt: int) -> None:
    """Writes the check run. It is recorded in the store until it is completed, so that what GitHub refuses now is
    written later (`bot.maintenance.sweeping`). Raises Refused for a rate limit, and for a plan that completes the check
    run also if GitHub is temporarily unavailable."""
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
    """Returns the check run of an attempt. Its conclusion is never a failure, since Heal must not block a merge. GitHub
    shows at most three buttons."""
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
    """Returns the check run of an attempt that is over and of which nothing else is known."""
    return CheckPlan(
        sha=sha,
        external_id=external_id(sha, attempt),
        status="completed",
        conclusion="neutral",
        title=summary.STOPPED,
        summary=summary.stopped(skips.ENDED),
        actions=(buttons.RETRY,),
    )


def external_id(sha: str, attempt: int) -> str:
    """Returns the id by which the attempt's check run is found again."""
    return f"heal:{sha}:{attempt}"
