"""Converts GitHub's JSON to the types of `handlers.model`: only the fields that Heal uses."""

from typing import Any

from handlers.model import ChangedFile, CiState, Comment, Job, JobStep, Pull, ReviewComment
from healing.failed_jobs import Annotation
from healing.model import Frozen


def pull(item: dict[str, Any]) -> Pull:
    head, base = item["head"], item["base"]
    return Pull(
        number=item["number"],
        title=item.get("title") or "",
        state=item["state"],
        draft=bool(item.get("draft")),
        head_sha=head["sha"],
        head_ref=head["ref"],
        head_repo=(head.get("repo") or {}).get("full_name"),
        base_repo=(base.get("repo") or {}).get("full_name"),
        base_sha=base["sha"],
        base_ref=base["ref"],
        author=_login(item),
        labels=tuple(label["name"] for label in item.get("labels") or ()),
    )


def check_says(item: dict[str, Any]) -> CiState:
    """The state of one check run: skipped and neutral count as `none`, cancelled as `red`."""
    if item.get("status") != "completed":
        return "running"
    states: dict[str | None, CiState] = {"success": "green", "neutral": "none", "skipped": "none"}
    return states.get(item.get("conclusion"), "red")


def status_says(item: dict[str, Any]) -> CiState:
    """The state of one commit status."""
    states: dict[str | None, CiState] = {"success": "green", "pending": "running"}
    return states.get(item.get("state"), "red")


def changed_file(item: dict[str, Any]) -> ChangedFile:
    return ChangedFile(
        path=item["filename"],
        status=item["status"],
        patch=item.get("patch"),
        previous_path=item.get("previous_filename"),
    )


class WorkflowRunNow(Frozen):
    """The current state of a workflow run; `path` is like `.github/workflows/ci.yml`."""

    id: int
    path: str
    completed: bool
    url: str


def run_now(item: dict[str, Any]) -> WorkflowRunNow:
    path = (item.get("path") or "").partition("@")[0]
    done = item.get("status") == "completed"
    return WorkflowRunNow(id=item["id"], path=path, completed=done, url=item.get("html_url") or "")


def job(item: dict[str, Any], run: dict[str, Any]) -> Job:
    """`run` is the workflow run's JSON, empty if the run no longer exists."""
    return Job(
        id=item["id"],
        run_id=item["run_id"],
        run_attempt=item.get("run_attempt") or 1,
        name=item["name"],
        conclusion=item.get("conclusion"),
        workflow_path=(run.get("path") or "").partition("@")[0] or None,
        event=run.get("event") or "",
        head_sha=item.get("head_sha"),
        branch=run.get("head_branch"),
        steps=tuple(_step(step) for step in item.get("steps") or ()),
    )


def _step(item: dict[str, Any]) -> JobStep:
    return JobStep(
        name=item["name"],
        number=item["number"],
        conclusion=item.get("conclusion"),
        started_at=item.get("started_at"),
        completed_at=item.get("completed_at"),
    )


def annotation(item: dict[str, Any]) -> Annotation:
    return Annotation(
        path=item["path"],
        start_line=item["start_line"],
        end_line=item["end_line"],
        level=item.get("annotation_level") or "failure",
        message=item.get("message") or "",
        title=item.get("title"),
        details=item.get("raw_details"),
    )


def comment(item: dict[str, Any]) -> Comment:
    return Comment(id=item["id"], body=item.get("body") or "", author=_login(item), author_is_bot=_is_bot(item))


def review_comment(item: dict[str, Any]) -> ReviewComment:
    return ReviewComment(
        id=item["id"],
        body=item.get("body") or "",
        path=item["path"],
        line=item.get("line"),
        in_reply_to=item.get("in_reply_to_id"),
        author=_login(item),
        author_is_bot=_is_bot(item),
    )


def _login(item: dict[str, Any]) -> str:
    return (item.get("user") or {}).get("login") or "ghost"


def _is_bot(item: dict[str, Any]) -> bool:
    return (item.get("user") or {}).get("type") == "Bot"
