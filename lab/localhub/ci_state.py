"""The state of checks and Actions in the local GitHub, as plain records."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lab.localhub.state import Account


@dataclass
class CheckSuite:
    """All check runs of one App on one commit."""

    id: int
    repo_id: int
    app_slug: str
    head_sha: str
    head_branch: str | None
    created_at: datetime
    updated_at: datetime
    before: str | None = None
    status: str = "queued"
    conclusion: str | None = None


@dataclass
class CheckRun:
    """A check run. `output`, `annotations` and `actions` are stored as they were sent."""

    id: int
    repo_id: int
    suite_id: int
    app_slug: str
    name: str
    head_sha: str
    started_at: datetime
    status: str = "queued"
    conclusion: str | None = None
    completed_at: datetime | None = None
    external_id: str = ""
    details_url: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)
    actions: list[dict[str, str]] = field(default_factory=list)


@dataclass
class WorkflowRun:
    """A run of a workflow file of the local Actions."""

    id: int
    repo_id: int
    suite_id: int
    workflow_id: int
    run_number: int
    name: str
    path: str
    event: str
    head_sha: str
    head_branch: str
    head_repo_id: int
    actor: Account
    created_at: datetime
    updated_at: datetime
    attempt: int = 1
    status: str = "queued"
    conclusion: str | None = None
    display_title: str = ""
    again: frozenset[str] | None = None  # names of the jobs in the latest attempt; None: all


@dataclass
class Step:
    """A step of a job."""

    number: int
    name: str
    conclusion: str | None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    status: str = "completed"


@dataclass
class Job:
    """A job; its id is also the id of its check run. `log` None: not uploaded (404)."""

    id: int
    repo_id: int
    run_id: int
    name: str
    head_sha: str
    created_at: datetime
    attempt: int = 1
    status: str = "queued"
    conclusion: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    steps: list[Step] = field(default_factory=list)
    log: bytes | None = None


@dataclass
class Artifact:
    """Files uploaded by a workflow run, in the archive that is downloaded."""

    id: int
    repo_id: int
    run_id: int
    name: str
    data: bytes
    digest: str
    created_at: datetime
    expired: bool = False


@dataclass
class CommitStatus:
    """A commit status of a third-party CI."""

    id: int
    repo_id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: Account
    created_at: datetime
