"""Handles a failed check: the failure joins the commit's open attempt, which starts after the debounce window."""

from handlers.events import CheckFailed
from handlers.model import Context
from handlers.runs.asking import attempts
from handlers.runs.check_run import announce
from handlers.runs.merge_queue import as_pull_failure, is_queue, queued


async def handle(event: CheckFailed, context: Context) -> None:
    """Stores the failure, notifies the queue, which waits for the debounce window, and creates the queued check run."""
    sha, row = event.sha, failure_of(event)
    if is_queue(event.head_branch):
        pull = await queued(event, context)
        if pull is None:
            return
        sha, row = pull.head_sha, as_pull_failure(row, pull)
    if await _known_already(event, sha, context):
        return
    run = await context.store.open_attempt(event_key(event), event.installation_id, sha, row)
    await context.queue.healing(run)
    await announce(context, run)


async def _known_already(event: CheckFailed, sha: str, context: Context) -> bool:
    """Whether the event only repeats jobs that an attempt already has: an Actions job is reported by a check run and by
    its workflow run, in any order. During the debounce window a duplicate does no harm."""
    known = await attempts(context.store, sha)
    if not known or known[-1].state == "gathering":
        return False
    rows = [row for run in known for row in await context.store.failures(sha, run.attempt)]
    if event.workflow_run_id is not None:
        return await _reported_job_by_job(event.workflow_run_id, event.check_suite_id, rows, context)
    if event.check_run_id is not None:
        return await _reported_as_a_whole(event.check_run_id, event.check_suite_id, rows, context)
    return False


Rows = list[dict[str, object]]


async def _reported_job_by_job(run_id: int, suite: int | None, rows: Rows, context: Context) -> bool:
    mine = {row.get("check_run_id") for row in rows if suite and row.get("check_suite_id") == suite} - {None}
    jobs = {job.id for job in await context.github.failed_jobs(run_id)} if mine else set()
    return bool(jobs) and jobs <= mine


async def _reported_as_a_whole(check_run_id: int, suite: int | None, rows: Rows, context: Context) -> bool:
    whole = {
        (row.get("workflow_run_id"), row.get("run_attempt"))
        for row in rows
        if row.get("source") == "workflow_run" and suite and row.get("check_suite_id") == suite
    }
    job = await context.github.job(check_run_id) if whole else None
    return job is not None and (job.run_id, job.run_attempt) in whole


def event_key(event: CheckFailed) -> str:
    """Returns a key of this failure, so that a redelivery changes nothing."""
    if event.check_run_id is not None:
        return f"check_run:{event.check_run_id}"
    if event.workflow_run_id is not None:
        return f"workflow_run:{event.workflow_run_id}:{event.run_attempt}"
    return f"status:{event.name[:150]}:{event.conclusion}"


def failure_of(event: CheckFailed) -> dict[str, object]:
    """Returns the row that the run reads later: the event's own fields, and the repository's default branch."""
    row: dict[str, object] = event.model_dump(mode="json", exclude={"installation_id", "repo", "sender", "sha"})
    row["default_branch"] = event.repo.default_branch
    return row
