"""JSON of checks, commit statuses and the local Actions."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

from lab.localhub import checks as domain
from lab.localhub.ci_state import Artifact, CheckRun, CheckSuite, CommitStatus, Job, WorkflowRun
from lab.localhub.hub import Hub
from lab.localhub.shapes import pulls, repos
from lab.localhub.shapes.people import app_named, user, when
from lab.localhub.state import Repo, node_id


def check_run(hub: Hub, run: CheckRun) -> dict[str, Any]:
    """A check run. Its `pull_requests` never has pull requests from forks."""
    repo = hub.repos[run.repo_id]
    url = f"{repos.repo_url(hub, repo)}/check-runs/{run.id}"
    html = f"{repos.page(hub, repo)}/runs/{run.id}"
    job = hub.jobs.get(run.id)
    if job:
        html = f"{repos.page(hub, repo)}/actions/runs/{job.run_id}/job/{job.id}"
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("CR", run.id),
        "head_sha": run.head_sha,
        "external_id": run.external_id,
        "url": url,
        "html_url": html,
        "details_url": run.details_url or html,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": when(run.started_at),
        "completed_at": when(run.completed_at),
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": run.suite_id},
        "app": app_named(hub, run.app_slug),
        "pull_requests": _pulls(hub, repo, run.head_sha),
    }


def check_run_event(hub: Hub, run: CheckRun) -> dict[str, Any]:
    """A check run inside an event, with its suite."""
    suite = hub.suites[run.suite_id]
    shown = check_suite(hub, suite)
    keys = (
        "id", "node_id", "head_branch", "head_sha", "status", "conclusion", "url", "before", "after", "pull_requests",
        "app", "created_at", "updated_at",
    )  # fmt: skip
    return check_run(hub, run) | {"check_suite": {key: shown[key] for key in keys}}


def annotation(hub: Hub, run: CheckRun, annotation: dict[str, Any]) -> dict[str, Any]:
    """One annotation."""
    repo = hub.repos[run.repo_id]
    optional = ("start_column", "end_column", "title", "raw_details")
    return {
        "path": annotation["path"],
        "blob_href": f"{repos.page(hub, repo)}/blob/{run.head_sha}/{quote(annotation['path'])}",
        "start_line": annotation["start_line"],
        "end_line": annotation.get("end_line", annotation["start_line"]),
        "annotation_level": annotation["annotation_level"],
        "message": annotation["message"],
        **{key: annotation.get(key) for key in optional},
    }


def check_suite(hub: Hub, suite: CheckSuite) -> dict[str, Any]:
    """A check suite."""
    repo = hub.repos[suite.repo_id]
    url = f"{repos.repo_url(hub, repo)}/check-suites/{suite.id}"
    return {
        "id": suite.id,
        "node_id": node_id("CS", suite.id),
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": suite.status,
        "conclusion": suite.conclusion,
        "url": url,
        "before": suite.before,
        "after": suite.head_sha,
        "pull_requests": _pulls(hub, repo, suite.head_sha),
        "app": app_named(hub, suite.app_slug),
        "repository": repos.minimal(hub, repo),
        "created_at": when(suite.created_at),
        "updated_at": when(suite.updated_at),
        "head_commit": repos.simple_commit(hub.bare(repo).info(suite.head_sha)),
        "latest_check_runs_count": len(domain.latest(domain.runs_of(hub, suite))),
        "check_runs_url": f"{url}/check-runs",
        "rerequestable": True,
        "runs_rerequestable": True,
    }


def status(hub: Hub, status: CommitStatus) -> dict[str, Any]:
    """A commit status."""
    repo = hub.repos[status.repo_id]
    shown = user(hub, status.creator)
    return {
        "url": f"{repos.repo_url(hub, repo)}/statuses/{status.sha}",
        "avatar_url": shown["avatar_url"],
        "id": status.id,
        "node_id": node_id("SC", status.id),
        "state": status.state,
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        "created_at": when(status.created_at),
        "updated_at": when(status.created_at),
        "creator": shown,
    }


def combined(hub: Hub, repo: Repo, sha: str) -> dict[str, Any]:
    """The combined status of a commit: the newest status of each context, without check runs."""
    statuses = [status_ for status_ in hub.statuses if (status_.repo_id, status_.sha) == (repo.id, sha)]
    newest = list({status_.context: status_ for status_ in statuses}.values())
    states = {status_.state for status_ in newest}
    bad = "failure" if states & {"error", "failure"} else "pending" if "pending" in states or not newest else "success"
    url = f"{repos.repo_url(hub, repo)}/commits/{sha}"
    return {
        "state": bad,
        "statuses": [{k: v for k, v in status(hub, status_).items() if k != "creator"} for status_ in newest],
        "sha": sha,
        "total_count": len(newest),
        "repository": repos.minimal(hub, repo),
        "commit_url": url,
        "url": f"{url}/status",
    }


def workflow_run(hub: Hub, run: WorkflowRun) -> dict[str, Any]:
    """A workflow run."""
    repo, head_repo = hub.repos[run.repo_id], hub.repos[run.head_repo_id]
    base = repos.repo_url(hub, repo)
    url = f"{base}/actions/runs/{run.id}"
    links = {"jobs": "jobs", "logs": "logs", "cancel": "cancel", "rerun": "rerun", "artifacts": "artifacts"}
    previous = f"{url}/attempts/{run.attempt - 1}" if run.attempt > 1 else None
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("WFR", run.id),
        "head_branch": run.head_branch,
        "head_sha": run.head_sha,
        "path": run.path,
        "display_title": run.display_title,
        "run_number": run.run_number,
        "event": run.event,
        "status": run.status,
        "conclusion": run.conclusion,
        "workflow_id": run.workflow_id,
        "check_suite_id": run.suite_id,
        "check_suite_node_id": node_id("CS", run.suite_id),
        "url": url,
        "html_url": f"{repos.page(hub, repo)}/actions/runs/{run.id}",
        "pull_requests": _pulls(hub, repo, run.head_sha) if head_repo.id == repo.id else [],
        "created_at": when(run.created_at),
        "updated_at": when(run.updated_at),
        "actor": user(hub, run.actor),
        "triggering_actor": user(hub, run.actor),
        "run_attempt": run.attempt,
        "referenced_workflows": [],
        "run_started_at": when(run.created_at),
        **{f"{name}_url": f"{url}/{path}" for name, path in links.items()},
        "check_suite_url": f"{base}/check-suites/{run.suite_id}",
        "workflow_url": f"{base}/actions/workflows/{run.workflow_id}",
        "previous_attempt_url": previous,
        "head_commit": repos.simple_commit(hub.bare(repo).info(run.head_sha)),
        "repository": repos.minimal(hub, repo),
        "head_repository": None if head_repo.deleted else repos.minimal(hub, head_repo),
    }


def artifact(hub: Hub, artifact: Artifact) -> dict[str, Any]:
    """An artifact of a workflow run."""
    repo, run = hub.repos[artifact.repo_id], hub.runs[artifact.run_id]
    url = f"{repos.repo_url(hub, repo)}/actions/artifacts/{artifact.id}"
    return {
        "id": artifact.id,
        "node_id": node_id("A", artifact.id),
        "name": artifact.name,
        "size_in_bytes": len(artifact.data),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": artifact.expired,
        "digest": artifact.digest,
        "created_at": when(artifact.created_at),
        "updated_at": when(artifact.created_at),
        "expires_at": when(artifact.created_at + timedelta(days=90)),
        "workflow_run": {
            "id": run.id,
            "repository_id": repo.id,
            "head_repository_id": run.head_repo_id,
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
        },
    }


def job(hub: Hub, job: Job) -> dict[str, Any]:
    """A job with its steps."""
    repo, run = hub.repos[job.repo_id], hub.runs[job.run_id]
    base = repos.repo_url(hub, repo)
    return {
        "id": job.id,
        "run_id": run.id,
        "workflow_name": run.name,
        "head_branch": run.head_branch,
        "run_url": f"{base}/actions/runs/{run.id}",
        "run_attempt": job.attempt,
        "node_id": node_id("CR", job.id),
        "head_sha": job.head_sha,
        "url": f"{base}/actions/jobs/{job.id}",
        "html_url": f"{repos.page(hub, repo)}/actions/runs/{run.id}/job/{job.id}",
        "status": job.status,
        "conclusion": job.conclusion,
        "created_at": when(job.created_at),
        "started_at": when(job.started_at or job.created_at),
        "completed_at": when(job.completed_at),
        "name": job.name,
        "steps": [
            {
                "name": step.name,
                "status": step.status,
                "conclusion": step.conclusion,
                "number": step.number,
                "started_at": when(step.started_at),
                "completed_at": when(step.completed_at),
            }
            for step in job.steps
        ],
        "check_run_url": f"{base}/check-runs/{job.id}",
        "labels": ["ubuntu-latest"],
        "runner_id": 1,
        "runner_name": "GitHub Actions 1",
        "runner_group_id": 0,
        "runner_group_name": "GitHub Actions",
    }


def workflow(hub: Hub, run: WorkflowRun) -> dict[str, Any]:
    """The workflow inside a workflow_run event."""
    repo = hub.repos[run.repo_id]
    url = f"{repos.repo_url(hub, repo)}/actions/workflows/{run.workflow_id}"
    return {
        "id": run.workflow_id,
        "node_id": node_id("W", run.workflow_id),
        "name": run.name,
        "path": run.path,
        "state": "active",
        "created_at": when(repo.created_at),
        "updated_at": when(repo.created_at),
        "url": url,
        "html_url": f"{repos.page(hub, repo)}/blob/{repo.default_branch}/{run.path}",
        "badge_url": f"{repos.page(hub, repo)}/workflows/{quote(run.name)}/badge.svg",
    }


def _pulls(hub: Hub, repo: Repo, sha: str) -> list[dict[str, Any]]:
    return [pulls.minimal(hub, pull) for pull in domain.pulls_with(hub, repo, sha)]
