"""What GitHub tells of CI: jobs, their steps, workflow runs, and what all of a commit's checks say together."""

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
    """An Actions job. `workflow_path` like `.github/workflows/ci.yml`; `event` is what started the run; `head_sha` is
    what it was reported on and `branch` the branch of that, where GitHub says so."""

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
    """A job that passed: on which commit, and its log where GitHub has it still."""

    sha: str
    log: bytes | None = None


class CiRunNow(Frozen):
    """A workflow run as it is now: its latest attempt, and how that ended (None: not yet)."""

    attempt: int
    conclusion: str | None


# `none`: no check reported that it passed, and none that it failed
CiState = Literal["green", "red", "running", "none"]
