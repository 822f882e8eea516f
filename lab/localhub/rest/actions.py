"""REST of the local Actions: runs, jobs, and the short-lived links to their logs."""

import secrets
from collections.abc import Callable
from datetime import timedelta

from lab.localhub import actions as domain
from lab.localhub.calls import Answer, Call, Table, paged
from lab.localhub.ci_state import Artifact, Job, WorkflowRun
from lab.localhub.shapes import checks
from lab.localhub.state import Refused

table = Table()
LINK_LIFE = timedelta(minutes=1)


@table.on("GET", "/R/actions/jobs/{job}", "actions:read")
def get_job(call: Call) -> Answer:
    """Returns a job with its steps."""
    return Answer(checks.job(call.hub, _job(call)))


@table.on("GET", "/R/actions/jobs/{job}/logs", "actions:read")
def get_log(call: Call) -> Answer:
    """Redirects (302) to another host, where the log is available for a minute; 404 if there is none."""
    job = _job(call)
    if job.log is None:
        raise Refused(404, "Not Found")
    return _lent(call, job.log)


@table.on("GET", "/R/actions/runs", "actions:read")
def list_runs(call: Call) -> Answer:
    """Lists runs, newest first; filtered by check_suite_id, head_sha, branch, event, status."""
    query = call.query
    runs = [run for run in call.hub.runs.values() if run.repo_id == call.repo.id]
    tests: dict[str, Callable[[WorkflowRun], str]] = {
        "check_suite_id": lambda run: str(run.suite_id),
        "head_sha": lambda run: run.head_sha,
        "branch": lambda run: run.head_branch,
        "event": lambda run: run.event,
    }
    for key, read in tests.items():
        if query.get(key):
            runs = [run for run in runs if read(run) == query[key]]
    if query.get("status"):
        runs = [run for run in runs if query["status"] in (run.status, run.conclusion)]
    return paged(call, reversed(runs), lambda run: checks.workflow_run(call.hub, run), "workflow_runs")


@table.on("GET", "/R/actions/runs/{run}", "actions:read")
def get_run(call: Call) -> Answer:
    """One run."""
    return Answer(checks.workflow_run(call.hub, _run(call)))


@table.on("GET", "/R/actions/runs/{run}/jobs", "actions:read")
def list_jobs(call: Call) -> Answer:
    """Lists a run's jobs, of the latest attempt unless filter=all."""
    run = _run(call)
    every = [job for job in call.hub.jobs.values() if job.run_id == run.id]
    jobs = every if call.query.get("filter") == "all" else domain.jobs_of(call.hub, run)
    return paged(call, jobs, lambda job: checks.job(call.hub, job), "jobs")


@table.on("GET", "/R/actions/runs/{run}/attempts/{attempt}/jobs", "actions:read")
def list_attempt_jobs(call: Call) -> Answer:
    """Lists the jobs of one attempt."""
    jobs = domain.jobs_of(call.hub, _run(call), call.number("attempt"))
    return paged(call, jobs, lambda job: checks.job(call.hub, job), "jobs")


@table.on("GET", "/R/actions/runs/{run}/artifacts", "actions:read")
def list_artifacts(call: Call) -> Answer:
    """Lists the artifacts of a run, of all its attempts."""
    run = _run(call)
    artifacts = [one for one in call.hub.artifacts.values() if one.run_id == run.id]
    return paged(call, artifacts, lambda one: checks.artifact(call.hub, one), "artifacts")


@table.on("GET", "/R/actions/artifacts/{artifact}", "actions:read")
def get_artifact(call: Call) -> Answer:
    """One artifact."""
    return Answer(checks.artifact(call.hub, _artifact(call)))


@table.on("GET", "/R/actions/artifacts/{artifact}/zip", "actions:read")
def get_archive(call: Call) -> Answer:
    """Redirects (302) to another host, where the archive is available for a minute; 410 once it is expired."""
    artifact = _artifact(call)
    if artifact.expired:
        raise Refused(410, "Artifact has expired")
    return _lent(call, artifact.data)


@table.on("POST", "/R/actions/runs/{run}/rerun-failed-jobs", "actions:write")
def rerun_failed_jobs(call: Call) -> Answer:
    """Starts another attempt with the failed jobs."""
    domain.restart(call.hub, _run(call), call.account, only_failed=True)
    return Answer({}, 201)


@table.on("POST", "/R/actions/runs/{run}/cancel", "actions:write")
def cancel(call: Call) -> Answer:
    """Cancels a run; 409 if it is completed."""
    domain.cancel(call.hub, _run(call))
    return Answer({}, 202)


@table.on("POST", "/R/actions/runs/{run}/rerun", "actions:write")
def rerun(call: Call) -> Answer:
    """Starts another attempt with all jobs."""
    domain.restart(call.hub, _run(call), call.account)
    return Answer({}, 201)


def _lent(call: Call, data: bytes) -> Answer:
    name = secrets.token_urlsafe(24)
    call.hub.links[name] = (data, call.hub.now() + LINK_LIFE)
    return Answer(None, 302, {"Location": f"{call.hub.blob_url}/blobs/{name}"})


def _artifact(call: Call) -> Artifact:
    artifact = call.hub.artifacts.get(call.number("artifact"))
    if artifact is None or artifact.repo_id != call.repo.id:
        raise Refused(404, "Not Found")
    return artifact


def _job(call: Call) -> Job:
    job = call.hub.jobs.get(call.number("job"))
    if job is None or job.repo_id != call.repo.id:
        raise Refused(404, "Not Found")
    return job


def _run(call: Call) -> WorkflowRun:
    run = call.hub.runs.get(call.number("run"))
    if run is None or run.repo_id != call.repo.id:
        raise Refused(404, "Not Found")
    return run
