"""Errors that the base branch has too are fixed once, there, and not on every pull request: the first pull request that
shows them starts a run on the default branch's head, with the checks that failed here."""

from handlers.comments import summary
from handlers.model import Context, Pull, Run
from handlers.runs.asking import ELSEWHERE, NO_FAILURE, attempts
from handlers.runs.check_run import announce
from handlers.runs.finding import Failures
from handlers.runs.merge_queue import only_in_queue
from healing.model import Outcome


async def start_base_attempt(context: Context, run: Run, pull: Pull, outcome: Outcome) -> tuple[str, ...]:
    """Opens an attempt at the default branch's head, unless there was one before, and returns a note about it. During
    its debounce window the failures join it, so that an attempt left incomplete by a crash is completed."""
    if not any(resolution.how == "preexisting" for resolution in outcome.resolutions):
        return ()
    failures = await context.store.failures(run.sha, run.attempt)
    if only_in_queue(failures):
        return ()  # the queue may have merged onto other pull requests; the branch's own checks report its errors
    if pull.base_ref not in {failure.get("default_branch") for failure in failures}:
        return ()  # not the default branch: a fixup pull request into it would not be kept up to date
    head = await context.github.branch_head(pull.base_ref)
    if head is None:
        return ()  # the branch was deleted
    if all(attempt.state == "gathering" for attempt in await attempts(context.store, head)):
        await _open(context, run, head, pull.base_ref, failures)
    return (summary.handed_on(pull.base_ref),)


async def _open(context: Context, run: Run, head: str, branch: str, failures: Failures) -> None:
    opened = None
    for index, failure in enumerate(failures):
        if failure.get("source") in NO_FAILURE:
            continue
        here: dict[str, object] = {"head_branch": branch, "head_owner": None, "head_repo_id": run.repo_id}
        row = {**failure, **here, "pull_numbers": [], ELSEWHERE: True}
        key = f"preexisting:{run.sha[:12]}:{run.attempt}:{index}"
        opened = await context.store.open_attempt(key, run.installation_id, head, row)
    if opened is not None:
        await context.queue.healing(opened)
        await announce(context, opened)
