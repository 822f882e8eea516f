"""Reads about one repository with a read-only token: `handlers.model.GitHub` over the REST API."""

import asyncio
import base64
from collections.abc import AsyncIterator
from http.client import OK
from typing import Any
from urllib.parse import urljoin

from bot.github import shapes
from bot.github.artifacts import MOST_PACKED, Artifact, chosen, unpacked
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

_LOG_PAUSES = (2.0, 5.0, 15.0)  # the event that says `completed` can beat the log's upload
_EXPIRED = 410  # GitHub keeps logs for some months
_FAILED = ("failure", "timed_out")
_GREEN_RUNS = 20  # a branch has runs of several workflows; further back the log says little about today
_ARTIFACTS = 300  # how many of a run's artifacts are looked through
# Types of rules; the last three want to see something pass on a commit before it may be there.
_KEEPS_COMMITS_OFF = frozenset(
    {"pull_request", "required_status_checks", "update", "required_signatures", "merge_queue"}
    | {"required_deployments", "workflows", "code_scanning"}
)
_OPEN_PULLS = 300  # how many open pull requests are looked through as the last resort


MOST_PAGES = 20
_QUERY = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved resolvedBy { login } comments(first: 1) { nodes { fullDatabaseId } } } } } } }"""


async def review_threads(client: RepoClient, number: int) -> tuple[ReviewThread, ...]:
    """The review threads of a pull request, all of them: GitHub tells their ids only through GraphQL. Raises
    Refused."""
    where = {"owner": client.owner, "name": client.full_name.partition("/")[2], "number": number}
    found: list[ReviewThread] = []
    after: str | None = None
    for _ in range(MOST_PAGES):
        data = await client.graphql(_QUERY, {**where, "after": after}, repeatable=True)
        pull = (data.get("repository") or {}).get("pullRequest") or {}
        page = pull.get("reviewThreads") or {}
        found += [made for node in page.get("nodes") or () if node and (made := _thread(node))]
        info = page.get("pageInfo") or {}
        after = info.get("endCursor")
        if not info.get("hasNextPage") or after is None:
            break
    return tuple(found)


def _thread(node: dict[str, Any]) -> ReviewThread | None:
    """None for a thread without comments."""
    comments = [one for one in (node.get("comments") or {}).get("nodes") or () if one and one.get("fullDatabaseId")]
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
    """Everything is read when it is asked for: webhooks are only hints."""

    def __init__(self, client: RepoClient, repo_id: int) -> None:
        self._client = client
        self._repo_id = repo_id

    async def pull(self, number: int) -> Pull | None:
        found = await self._client.get(f"/pulls/{number}")
        return None if found is None else shapes.pull(found)

    async def pulls_of(self, sha: str, branch: str | None, owner: str | None) -> tuple[Pull, ...]:
        """Open pull requests whose head is `sha`: by the commit; for forks by owner and branch; else among all."""
        ways = [self._client.pages(f"/commits/{segment(sha)}/pulls")]
        if branch and owner:
            ways.append(self._client.pages("/pulls", state="open", head=f"{owner}:{branch}"))
        ways.append(self._client.pages("/pulls", most=_OPEN_PULLS, state="open", sort="updated", direction="desc"))
        for way in ways:
            found = [pull async for pull in self._open_at(sha, way)]
            if found:
                return tuple(found)
        return ()

    async def _open_at(self, sha: str, items: AsyncIterator[Any]) -> AsyncIterator[Pull]:
        try:
            async for item in items:
                here = item["base"]["repo"]["id"] == self._repo_id
                if here and item["state"] == "open" and item["head"]["sha"] == sha:
                    yield shapes.pull(item)
        except Refused as refusal:
            if refusal.status != 422:  # a commit that this repository doesn't have: it lives in a fork
                raise

    async def changed_files(self, number: int) -> tuple[ChangedFile, ...]:
        return tuple([shapes.changed_file(item) async for item in self._client.pages(f"/pulls/{number}/files")])

    async def merge_base(self, base: str, head: str) -> str | None:
        found = await self._client.get(f"/compare/{segment(base)}...{segment(head)}", per_page=1)
        return None if found is None else str(found["merge_base_commit"]["sha"])

    async def job(self, job_id: int) -> Job | None:
        """None also for check runs that are no Actions jobs."""
        found = await self._client.get(f"/actions/jobs/{job_id}")
        return None if found is None else shapes.job(found, await self._run(found["run_id"]))

    async def failed_jobs(self, workflow_run_id: int) -> tuple[Job, ...]:
        run = await self._run(workflow_run_id)
        items = self._client.pages(f"/actions/runs/{workflow_run_id}/jobs", "jobs", filter="latest")
        return tuple([shapes.job(item, run) async for item in items if item.get("conclusion") in _FAILED])

    async def runs_at(self, sha: str) -> tuple[WorkflowRunNow, ...]:
        """All workflow runs of a commit, as they are now."""
        items = self._client.pages("/actions/runs", "workflow_runs", head_sha=sha)
        return tuple([shapes.run_now(item) async for item in items if item.get("head_sha") == sha])

    async def jobs_of(self, workflow_run_id: int) -> tuple[Job, ...]:
        """Of a run's latest attempt, however they ended."""
        run = await self._run(workflow_run_id)
        items = self._client.pages(f"/actions/runs/{workflow_run_id}/jobs", "jobs", filter="latest")
        return tuple([shapes.job(item, run) async for item in items])

    async def ci_run(self, workflow_run_id: int) -> CiRunNow | None:
        run = await self._run(workflow_run_id)
        return CiRunNow(attempt=run.get("run_attempt") or 1, conclusion=run.get("conclusion")) if run else None

    async def _run(self, run_id: int) -> dict[str, Any]:
        return await self._client.get(f"/actions/runs/{run_id}") or {}

    async def job_log(self, job_id: int) -> bytes | None:
        """The raw log; None where GitHub has none (asked again a few times: the upload may be behind the event)."""
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
        """Looked for among the newest green runs of the branch; None where none of them has this job green."""
        runs = self._client.pages("/actions/runs", "workflow_runs", most=_GREEN_RUNS, branch=branch, status="success")
        async for run in runs:
            # A fork's branch may have the same name: what its author wrote into a log is no measure here.
            own = (run.get("head_repository") or {}).get("id") == self._repo_id
            if not own or (run.get("path") or "").partition("@")[0] != job.workflow_path:
                continue
            async for twin in self._client.pages(f"/actions/runs/{run['id']}/jobs", "jobs", filter="latest"):
                if (twin["name"], twin.get("conclusion")) == (job.name, "success"):
                    return GreenJob(sha=run["head_sha"], log=await self._log(twin["id"]))
        return None

    async def _log(self, job_id: int) -> bytes | None:
        """None where it isn't there, or not yet (404, 202). Raises Refused."""
        answer = await self._client.ask(f"/actions/jobs/{job_id}/logs")
        if answer is None:
            return None
        if where := answer.headers.get("location"):
            return await fetch_log(urljoin(str(answer.url), where))
        return answer.content if answer.status_code == OK else None

    async def annotations(self, check_run_id: int) -> tuple[Annotation, ...]:
        items = self._client.pages(f"/check-runs/{check_run_id}/annotations")
        return tuple([shapes.annotation(item) async for item in items])

    async def reports(self, workflow_run_id: int) -> tuple[ReportFile, ...]:
        """The files among a run's artifacts that look like tools' reports, and those that could not be had."""
        pages = self._client.pages(f"/actions/runs/{workflow_run_id}/artifacts", "artifacts", most=_ARTIFACTS)
        found = [await self._report_files(one) for one in chosen([item async for item in pages])]
        return tuple(file for files in found for file in files)

    async def _report_files(self, artifact: Artifact) -> tuple[ReportFile, ...]:
        too_large = ReportFile(artifact.name, problem=f"it is larger than {MOST_PACKED >> 20} MB")
        if artifact.size > MOST_PACKED:
            return (too_large,)
        answer = await self._client.ask(f"/actions/artifacts/{artifact.id}/zip")
        where = answer.headers.get("location") if answer is not None else None
        here = str(answer.url) if answer is not None else ""
        data = await fetch_log(urljoin(here, where), head=MOST_PACKED, tail=0) if where else None
        if data is None:
            return (ReportFile(artifact.name, problem="GitHub no longer has it"),)
        return (too_large,) if len(data) > MOST_PACKED else await asyncio.to_thread(unpacked, artifact.name, data)

    async def ci_state(self, sha: str, without: str) -> CiState:
        """Latest check runs and the newest status of each context."""
        runs = self._client.pages(f"/commits/{segment(sha)}/check-runs", "check_runs")
        states = [shapes.check_says(item) async for item in runs if (item.get("app") or {}).get("slug") != without]
        statuses = self._client.pages(f"/commits/{segment(sha)}/status", "statuses")
        states += [shapes.status_says(item) async for item in statuses]
        return next((state for state in ("running", "red", "green") if state in states), "none")

    async def permission(self, login: str) -> str:
        found = await self._client.get(f"/collaborators/{segment(login)}/permission")
        return "none" if found is None else str(found["permission"])

    async def file(self, name: str, ref: str) -> bytes | None:
        """A file's bytes at a ref; None where there is none (or it is a folder)."""
        found = await self._client.get(f"/contents/{path(name)}", ref=ref)
        if not isinstance(found, dict) or found.get("type", "file") != "file":
            return None
        if found.get("encoding") != "base64":  # over 1 MB the contents call leaves it out
            found = await self._client.get(f"/git/blobs/{segment(found['sha'])}")
        return None if found is None else base64.b64decode(found["content"])

    async def comments(self, number: int) -> tuple[Comment, ...]:
        return tuple([shapes.comment(item) async for item in self._client.pages(f"/issues/{number}/comments")])

    async def review_comments(self, number: int) -> tuple[ReviewComment, ...]:
        items = self._client.pages(f"/pulls/{number}/comments")
        return tuple([shapes.review_comment(item) async for item in items])

    async def review_threads(self, number: int) -> tuple[ReviewThread, ...]:
        return await review_threads(self._client, number)

    async def commit_message(self, sha: str) -> str | None:
        found = await self._client.get(f"/git/commits/{segment(sha)}")
        return None if found is None else str(found["message"])

    async def branch_head(self, branch: str) -> str | None:
        found = await self._client.get(f"/git/ref/heads/{path(branch)}")
        return None if found is None else str(found["object"]["sha"])

    async def branch_protected(self, branch: str) -> bool:
        """Whether a classic protection or a rule keeps an ordinary commit off the branch. GitHub calls a branch
        `protected` for any rule, also for those against its deletion or a push by force."""
        found = await self._client.get(f"/branches/{path(branch)}") or {}
        if (found.get("protection") or {}).get("enabled", found.get("protected")):
            return True
        rules = self._client.pages(f"/rules/branches/{path(branch)}")
        return bool([rule async for rule in rules if rule.get("type") in _KEEPS_COMMITS_OFF])
