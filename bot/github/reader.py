"""Reads from one repository with a read-only token: implements `handlers.model.GitHub` on the REST API."""

import asyncio
import base64
from collections.abc import AsyncIterator
from http.client import OK
from typing import Any
from urllib.parse import urljoin

from bot.github import shapes
from bot.github.artifacts import MAX_PACKED, Artifact, chosen, unpacked
from bot.github.client import RepoClient
from bot.github.logs import fetch_log
from bot.github.names import path, segment
from bot.github.shapes import WorkflowRunNow
from handlers.model import (
    ChangedFile,
    CiRunNow,
    CiState,
    Comment,
    GreenJob,
    Job,
    Pull,
    Refused,
    ReviewComment,
    ReviewThread,
)
from healing.failed_jobs import Annotation, ReportFile

_LOG_PAUSES = (2.0, 5.0, 15.0)  # the `completed` event can arrive before the log is uploaded
_EXPIRED = 410  # GitHub keeps logs for a few months
_FAILED = ("failure", "timed_out")
_GREEN_RUNS = 20  # a branch has runs of several workflows; logs of older runs say little about today's
_ARTIFACTS = 300  # how many of a run's artifacts are listed
# Types of rules; the last three require that something passed on a commit before it may be pushed.
_KEEPS_COMMITS_OFF = frozenset(
    {"pull_request", "required_status_checks", "update", "required_signatures", "merge_queue"}
    | {"required_deployments", "workflows", "code_scanning"}
)
_OPEN_PULLS = 300  # how many open pull requests are searched as the last resort


MAX_PAGES = 20
_QUERY = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved resolvedBy { login } comments(first: 1) { nodes { fullDatabaseId } } } } } } }"""


async def review_threads(client: RepoClient, number: int) -> tuple[ReviewThread, ...]:
    """Returns all review threads of a pull request (up to MAX_PAGES pages). GitHub provides their ids only through
    GraphQL. Raises Refused."""
    where = {"owner": client.owner, "name": client.full_name.partition("/")[2], "number": number}
    threads: list[ReviewThread] = []
    after: str | None = None
    for _ in range(MAX_PAGES):
        data = await client.graphql(_QUERY, {**where, "after": after}, repeatable=True)
        pull = (data.get("repository") or {}).get("pullRequest") or {}
        page = pull.get("reviewThreads") or {}
        threads += [thread for node in page.get("nodes") or () if node and (thread := _thread(node))]
        info = page.get("pageInfo") or {}
        after = info.get("endCursor")
        if not info.get("hasNextPage") or after is None:
            break
    return tuple(threads)


def _thread(node: dict[str, Any]) -> ReviewThread | None:
    """Returns None for a thread without comments."""
    comments = [item for item in (node.get("comments") or {}).get("nodes") or () if item and item.get("fullDatabaseId")]
    if not comments:
        return None
    by = (node.get("resolvedBy") or {}).get("login")
    return ReviewThread(
        id=node["id"],
        comment_id=int(comments[0]["fullDatabaseId"]),
        resolved=bool(node["isResolved"]),
        resolved_by=by.removesuffix("[bot]") if by else None,
    )


class Reader:
    """Reads current data with every call: the contents of webhooks are only hints."""

    def __init__(self, client: RepoClient, repo_id: int) -> None:
        self._client = client
        self._repo_id = repo_id

    async def pull(self, number: int) -> Pull | None:
        item = await self._client.get(f"/pulls/{number}")
        return None if item is None else shapes.pull(item)

    async def pulls_of(self, sha: str, branch: str | None, owner: str | None) -> tuple[Pull, ...]:
        """Returns the open pull requests whose head is `sha`: found by the commit, else (for forks) by owner and
        branch, else among the most recently updated ones."""
        lists = [self._client.pages(f"/commits/{segment(sha)}/pulls")]
        if branch and owner:
            lists.append(self._client.pages("/pulls", state="open", head=f"{owner}:{branch}"))
        lists.append(self._client.pages("/pulls", most=_OPEN_PULLS, state="open", sort="updated", direction="desc"))
        for items in lists:
            pulls = [pull async for pull in self._open_at(sha, items)]
            if pulls:
                return tuple(pulls)
        return ()

    async def _open_at(self, sha: str, items: AsyncIterator[Any]) -> AsyncIterator[Pull]:
        try:
            async for item in items:
                here = item["base"]["repo"]["id"] == self._repo_id
                if here and item["state"] == "open" and item["head"]["sha"] == sha:
                    yield shapes.pull(item)
        except Refused as refusal:
            if refusal.status != 422:  # 422: this repository doesn't have the commit, which is in a fork
                raise

    async def changed_files(self, number: int) -> tuple[ChangedFile, ...]:
        return tuple([shapes.changed_file(item) async for item in self._client.pages(f"/pulls/{number}/files")])

    async def merge_base(self, base: str, head: str) -> str | None:
        comparison = await self._client.get(f"/compare/{segment(base)}...{segment(head)}", per_page=1)
        return None if comparison is None else str(comparison["merge_base_commit"]["sha"])

    async def job(self, job_id: int) -> Job | None:
        """Returns None also for check runs that are no Actions jobs."""
        item = await self._client.get(f"/actions/jobs/{job_id}")
        return None if item is None else shapes.job(item, await self._run(item["run_id"]))

    async def failed_jobs(self, workflow_run_id: int) -> tuple[Job, ...]:
        run = await self._run(workflow_run_id)
        items = self._client.pages(f"/actions/runs/{workflow_run_id}/jobs", "jobs", filter="latest")
        return tuple([shapes.job(item, run) async for item in items if item.get("conclusion") in _FAILED])

    async def runs_at(self, sha: str) -> tuple[WorkflowRunNow, ...]:
        """Returns all workflow runs of a commit in their current state."""
        items = self._client.pages("/actions/runs", "workflow_runs", head_sha=sha)
        return tuple([shapes.run_now(item) async for item in items if item.get("head_sha") == sha])

    async def jobs_of(self, workflow_run_id: int) -> tuple[Job, ...]:
        """Returns the jobs of a run's latest attempt, with any conclusion."""
        run = await self._run(workflow_run_id)
        items = self._client.pages(f"/actions/runs/{workflow_run_id}/jobs", "jobs", filter="latest")
        return tuple([shapes.job(item, run) async for item in items])

    async def ci_run(self, workflow_run_id: int) -> CiRunNow | None:
        run = await self._run(workflow_run_id)
        return CiRunNow(attempt=run.get("run_attempt") or 1, conclusion=run.get("conclusion")) if run else None

    async def _run(self, run_id: int) -> dict[str, Any]:
        return await self._client.get(f"/actions/runs/{run_id}") or {}

    async def job_log(self, job_id: int) -> bytes | None:
        """Returns the raw log; None if GitHub has none (after a few retries: the upload may lag behind the event)."""
        for pause in (*_LOG_PAUSES, None):
            try:
                log = await self._log(job_id)
            except Refused as refusal:
                if refusal.status != _EXPIRED:
                    raise
                return None
            if log is not None or pause is None:
                return log
            await self._client.transport.sleep(pause)
        return None

    async def green_job(self, job: Job, branch: str) -> GreenJob | None:
        """Returns the same job of the branch's newest successful run in which it succeeded; None if there is none."""
        runs = self._client.pages("/actions/runs", "workflow_runs", most=_GREEN_RUNS, branch=branch, status="success")
        async for run in runs:
            # A fork's branch may have the same name, but its logs are untrusted.
            own = (run.get("head_repository") or {}).get("id") == self._repo_id
            if not own or (run.get("path") or "").partition("@")[0] != job.workflow_path:
                continue
            async for twin in self._client.pages(f"/actions/runs/{run['id']}/jobs", "jobs", filter="latest"):
                if (twin["name"], twin.get("conclusion")) == (job.name, "success"):
                    return GreenJob(sha=run["head_sha"], log=await self._log(twin["id"]))
        return None

    async def _log(self, job_id: int) -> bytes | None:
        """Returns None if there is no log, or not yet (404, 202). Raises Refused."""
        answer = await self._client.ask(f"/actions/jobs/{job_id}/logs")
        if answer is None:
            return None
        if location := answer.headers.get("location"):
            return await fetch_log(urljoin(str(answer.url), location))
        return answer.content if answer.status_code == OK else None

    async def annotations(self, check_run_id: int) -> tuple[Annotation, ...]:
        items = self._client.pages(f"/check-runs/{check_run_id}/annotations")
        return tuple([shapes.annotation(item) async for item in items])

    async def reports(self, workflow_run_id: int) -> tuple[ReportFile, ...]:
        """Returns the files of a run's artifacts that look like reports of tools, and those that could not be read."""
        pages = self._client.pages(f"/actions/runs/{workflow_run_id}/artifacts", "artifacts", most=_ARTIFACTS)
        files_of = [await self._report_files(artifact) for artifact in chosen([item async for item in pages])]
        return tuple(file for files in files_of for file in files)

    async def _report_files(self, artifact: Artifact) -> tuple[ReportFile, ...]:
        too_large = ReportFile(artifact.name, problem=f"it is larger than {MAX_PACKED >> 20} MB")
        if artifact.size > MAX_PACKED:
            return (too_large,)
        answer = await self._client.ask(f"/actions/artifacts/{artifact.id}/zip")
        location = answer.headers.get("location") if answer is not None else None
        base = str(answer.url) if answer is not None else ""
        data = await fetch_log(urljoin(base, location), head=MAX_PACKED, tail=0) if location else None
        if data is None:
            return (ReportFile(artifact.name, problem="GitHub no longer has it"),)
        return (too_large,) if len(data) > MAX_PACKED else await asyncio.to_thread(unpacked, artifact.name, data)

    async def ci_state(self, sha: str, without: str) -> CiState:
        """Returns the combined state of the latest check runs and the newest status of each context, without check runs
        of the App `without`."""
        runs = self._client.pages(f"/commits/{segment(sha)}/check-runs", "check_runs")
        states = [shapes.check_says(item) async for item in runs if (item.get("app") or {}).get("slug") != without]
        statuses = self._client.pages(f"/commits/{segment(sha)}/status", "statuses")
        states += [shapes.status_says(item) async for item in statuses]
        return next((state for state in ("running", "red", "green") if state in states), "none")

    async def permission(self, login: str) -> str:
        item = await self._client.get(f"/collaborators/{segment(login)}/permission")
        return "none" if item is None else str(item["permission"])

    async def file(self, name: str, ref: str) -> bytes | None:
        """Returns a file's bytes at a ref; None if it doesn't exist or is a folder."""
        item = await self._client.get(f"/contents/{path(name)}", ref=ref)
        if not isinstance(item, dict) or item.get("type", "file") != "file":
            return None
        if item.get("encoding") != "base64":  # the contents API omits contents over 1 MB
            item = await self._client.get(f"/git/blobs/{segment(item['sha'])}")
        return None if item is None else base64.b64decode(item["content"])

    async def comments(self, number: int) -> tuple[Comment, ...]:
        return tuple([shapes.comment(item) async for item in self._client.pages(f"/issues/{number}/comments")])

    async def review_comments(self, number: int) -> tuple[ReviewComment, ...]:
        items = self._client.pages(f"/pulls/{number}/comments")
        return tuple([shapes.review_comment(item) async for item in items])

    async def review_threads(self, number: int) -> tuple[ReviewThread, ...]:
        return await review_threads(self._client, number)

    async def commit_message(self, sha: str) -> str | None:
        commit = await self._client.get(f"/git/commits/{segment(sha)}")
        return None if commit is None else str(commit["message"])

    async def branch_head(self, branch: str) -> str | None:
        ref = await self._client.get(f"/git/ref/heads/{path(branch)}")
        return None if ref is None else str(ref["object"]["sha"])

    async def branch_protected(self, branch: str) -> bool:
        """Whether classic branch protection or a rule prevents ordinary commits to the branch. GitHub reports a branch
        as `protected` for any rule, even one that only forbids deletion or force pushes."""
        item = await self._client.get(f"/branches/{path(branch)}") or {}
        if (item.get("protection") or {}).get("enabled", item.get("protected")):
            return True
        rules = self._client.pages(f"/rules/branches/{path(branch)}")
        return bool([rule async for rule in rules if rule.get("type") in _KEEPS_COMMITS_OFF])
