"""Whether Heal must leave a pull request alone in its current state: checked before a run begins, when its labels or
draft state change, and again before anything is posted."""

from handlers.comments import cancelling, skips, summary
from handlers.model import Context, Pull, Run
from handlers.model.wishes import find_request
from handlers.runs.asking import attempts
from handlers.runs.finding import Failures
from handlers.runs.merge_queue import is_behind_red
from handlers.runs.report import report
from handlers.runs.skipping import why_not


async def why_left_alone(context: Context, run: Run, pull: Pull, failures: Failures, message: str | None) -> str | None:
    """Returns the reason to leave the pull request alone, or None. The rules are those of its base branch; `message` is
    the commit's."""
    if find_request(failures) is None and await is_behind_red(context, pull, failures):
        return skips.BEHIND_IN_QUEUE
    policy = await context.healer.policy(run.sha, pull)
    files = await context.github.changed_files(pull.number) if policy.skip.paths else ()
    paths = tuple(path for file in files for path in (file.path, file.previous_path) if path)
    return why_not(pull, run.full_name, context.slug, message, failures, policy, paths)


async def stop_what_rules_forbid(context: Context, pull: Pull) -> None:
    """Stops the running runs at the head that would not begin now. Runs in their debounce window are checked when they
    begin; a run that a person asked for continues, because that lifts the rules."""
    for run in await attempts(context.store, pull.head_sha):
        if run.state == "running":
            failures = await context.store.failures(run.sha, run.attempt)
            message = await context.github.commit_message(run.sha)
            reason = await why_left_alone(context, run, pull, failures, message)
            if reason is not None:
                await stop(context, run, reason)


async def stop(context: Context, run: Run, why: str) -> None:
    """Cancels an attempt: it ends now if no worker has started it yet, else before its next step."""
    if not await context.store.cancel(run.sha, run.attempt, why):
        return
    stopped = await context.store.run(run.sha, run.attempt)
    if stopped is not None and await context.store.check_noted(run.sha, run.attempt):
        await report(context, stopped, cancelling.TITLE, summary.stopped(why))
