"""The records of the local Actions: workflow runs, jobs with steps and logs, written by whatever runs the jobs."""

from collections.abc import Sequence
from typing import Any

from lab.localhub import checks
from lab.localhub.ci_state import CheckRun, CheckSuite, Job, Step, WorkflowRun
from lab.localhub.hub import Hub
from lab.localhub.state import Account, Refused, Repo

SLUG = "github-actions"


def begin_run(  # noqa: PLR0913, PLR0917 -- what a person fills in
    hub: Hub,
    repo: Repo,
    path: str,
    name: str,
    head_sha: str,
    head_branch: str,
    event: str = "pull_request",
    actor: Account | None = None,
    head_repo: Repo | None = None,
    title: str = "",
) -> WorkflowRun:
    """Starts a workflow run on a commit. Each has its own check suite."""
    with hub.lock:
        now = hub.now()
        mine = [run for run in hub.runs.values() if run.repo_id == repo.id]
        same = next((run.workflow_id for run in mine if run.path == path), None)
        local = head_repo is None or head_repo.id == repo.id
        suite = CheckSuite(
            hub.next_id(), repo.id, SLUG, head_sha, head_branch if local else None, now, now, status="in_progress"
        )
        hub.suites[suite.id] = suite
        run = WorkflowRun(
            hub.next_id(), repo.id, suite.id, same or hub.next_id(), len(mine) + 1, name, path, event, head_sha,
            head_branch, (head_repo or repo).id, actor or hub.actions_bot, now, now, status="in_progress",
            display_title=title or name,
        )  # fmt: skip
        hub.runs[run.id] = run
        hub.publish("workflow_run", "requested", repo, run.actor, run=run)
        hub.publish("workflow_run", "in_progress", repo, run.actor, run=run)
        return run


def begin_job(hub: Hub, run: WorkflowRun, name: str) -> Job:
    """Starts a job; its check run has the same id."""
    with hub.lock:
        repo, now = hub.repos[run.repo_id], hub.now()
        job = Job(hub.next_id(), repo.id, run.id, name, run.head_sha, now, run.attempt, "in_progress", started_at=now)
        check = CheckRun(job.id, repo.id, run.suite_id, SLUG, name, run.head_sha, now, "in_progress")
        hub.jobs[job.id], hub.check_runs[job.id] = job, check
        hub.publish("check_run", "created", repo, run.actor, check_run=check)
        hub.publish("workflow_job", "in_progress", repo, run.actor, job=job, run=run)
        return job


def finish_job(
    hub: Hub,
    job: Job,
    conclusion: str,
    steps: Sequence[Step],
    log: bytes | None,
    annotations: Sequence[dict[str, Any]] = (),
) -> None:
    """Completes a job, with its log in Actions' own format. `log` None: it is never uploaded (404)."""
    with hub.lock:
        run, repo, check = hub.runs[job.run_id], hub.repos[job.repo_id], hub.check_runs[job.id]
        job.status, job.conclusion, job.completed_at = "completed", conclusion, hub.now()
        job.steps, job.log = list(steps), log
        check.status, check.conclusion, check.completed_at = "completed", conclusion, job.completed_at
        check.annotations = list(annotations)
        hub.publish("check_run", "completed", repo, run.actor, check_run=check)
        hub.publish("workflow_job", "completed", repo, run.actor, job=job, run=run)


def finish_run(hub: Hub, run: WorkflowRun, conclusion: str | None = None) -> None:
    """Completes a run, by default with the worst conclusion of its jobs, and its check suite."""
    with hub.lock:
        repo, suite = hub.repos[run.repo_id], hub.suites[run.suite_id]
        run.conclusion = conclusion or checks.worst([job.conclusion for job in jobs_of(hub, run)])
        run.status, run.updated_at = "completed", hub.now()
        suite.status, suite.conclusion, suite.updated_at = "completed", run.conclusion, hub.now()
        hub.publish("workflow_run", "completed", repo, run.actor, run=run)
        hub.publish("check_suite", "completed", repo, run.actor, suite=suite)


def restart(hub: Hub, run: WorkflowRun, actor: Account, only_failed: bool = False) -> None:
    """Starts a run's next attempt, with the same id and new jobs. Raises Refused(403) while it runs."""
    with hub.lock:
        if run.status != "completed":
            raise Refused(403, "This workflow is already running")
        bad = frozenset(job.name for job in jobs_of(hub, run) if job.conclusion not in ("success", "skipped"))
        if only_failed and not bad:
            raise Refused(403, "This workflow run has no failed jobs")
        run.again = bad if only_failed else None
        run.attempt += 1
        run.status, run.conclusion, run.updated_at, run.actor = "in_progress", None, hub.now(), actor
        suite = hub.suites[run.suite_id]
        suite.status, suite.conclusion = "in_progress", None
        hub.publish("workflow_run", "requested", hub.repos[run.repo_id], actor, run=run)


def cancel(hub: Hub, run: WorkflowRun) -> None:
    """Cancels a run and its jobs. Raises Refused(409) if it is completed."""
    with hub.lock:
        if run.status == "completed":
            raise Refused(409, "Cannot cancel a workflow run that is completed.")
        for job in jobs_of(hub, run):
            if job.status != "completed":
                finish_job(hub, job, "cancelled", job.steps, None)
        finish_run(hub, run, "cancelled")


def jobs_of(hub: Hub, run: WorkflowRun, attempt: int | None = None) -> list[Job]:
    """Returns the jobs of one attempt, the latest if None."""
    wanted = attempt or run.attempt
    return [job for job in hub.jobs.values() if job.run_id == run.id and job.attempt == wanted]
