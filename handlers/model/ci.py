"""CI as GitHub reports it: jobs, their steps, workflow runs, and the combined state of a commit's checks."""

from typing import Literal

from healing.model import Frozen


class JobStep(Frozen):
    """A step of an Actions job; times are ISO 8601 UTC."""

    name: str
    number: int
    conclusion: str | None
    started_at: str | None = None
    completed_at: str | None = None


class Job(Frozen):
    """An Actions job. `workflow_path` is like `.github/workflows/ci.yml`; `event` is what started the run; `head_sha`
    is the commit on which it was reported and `branch` that commit's branch, if GitHub names them."""

    id: int
    run_id: int
    run_attempt: int
    name: str
    conclusion: str | None
    workflow_path: str | None
    event: str
    steps: tuple[JobStep, ...]
    head_sha: str | None = None
    branch: str | None = None


class GreenJob(Frozen):
    """A job that passed: its commit, and its log if GitHub still has it."""

    sha: str
    log: bytes | None = None


class CiRunNow(Frozen):
    """The current state of a workflow run: its latest attempt, and that attempt's conclusion (None: not completed)."""

    attempt: int
    conclusion: str | None


# `none`: no check has passed, failed or is running.
CiState = Literal["green", "red", "running", "none"]
