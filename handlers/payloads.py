"""Lenient models of GitHub's webhook payloads, with only the fields that Heal uses; all others are ignored."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class LenientModel(BaseModel):
    """A part of a payload: unknown keys are ignored, known ones must have the right shape; null counts as missing."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, part: Any) -> Any:
        if not isinstance(part, dict) or None not in part.values():
            return part
        return {name: value for name, value in part.items() if value is not None}


class RepositoryPart(LenientModel):
    id: int
    full_name: str
    default_branch: str = "main"
    private: bool = False


class PersonPart(LenientModel):
    login: str
    id: int
    type: str = "User"


class InstallationPart(LenientModel):
    id: int


class AppPart(LenientModel):
    id: int | None = None
    slug: str | None = None


class RefRepoPart(LenientModel):
    id: int


class BasePart(LenientModel):
    repo: RefRepoPart | None = None


class RefPart(LenientModel):
    sha: str


class PullRefPart(LenientModel):
    number: int
    head: RefPart | None = None
    base: BasePart | None = None


class SuitePart(LenientModel):
    id: int
    head_sha: str | None = None
    head_branch: str | None = None
    app: AppPart | None = None
    pull_requests: list[PullRefPart] = []


class CheckRunPart(LenientModel):
    id: int
    name: str
    head_sha: str
    conclusion: str | None = None
    app: AppPart | None = None
    check_suite: SuitePart | None = None
    pull_requests: list[PullRefPart] = []


class OwnerPart(LenientModel):
    login: str


class HeadRepositoryPart(LenientModel):
    id: int | None = None
    owner: OwnerPart | None = None


class WorkflowRunPart(LenientModel):
    id: int
    name: str | None = None
    head_sha: str
    head_branch: str | None = None
    run_attempt: int = 1
    conclusion: str | None = None
    check_suite_id: int | None = None
    head_repository: HeadRepositoryPart | None = None
    pull_requests: list[PullRefPart] = []


class LabelPart(LenientModel):
    name: str


class PullPart(LenientModel):
    number: int
    head: RefPart
    draft: bool = False
    merged: bool | None = None


class CommentPart(LenientModel):
    id: int
    body: str | None = None
    in_reply_to_id: int | None = None


class IssuePart(LenientModel):
    number: int
    pull_request: object | None = None


class BranchPart(LenientModel):
    name: str


class ButtonPart(LenientModel):
    identifier: str


class ListedRepositoryPart(LenientModel):
    id: int
    full_name: str
    private: bool = False


class Envelope(LenientModel):
    """The fields of nearly every payload. `installation` is missing if the webhook is not an App's."""

    action: str = ""
    installation: InstallationPart | None = None
    repository: RepositoryPart | None = None
    sender: PersonPart | None = None


class CheckRunPayload(LenientModel):
    check_run: CheckRunPart


class PressedPayload(CheckRunPayload):
    requested_action: ButtonPart


class CheckSuitePayload(LenientModel):
    check_suite: SuitePart


class WorkflowRunPayload(LenientModel):
    workflow_run: WorkflowRunPart


class StatusPayload(LenientModel):
    sha: str
    state: str
    context: str = "status"
    branches: list[BranchPart] = []


class PullPayload(LenientModel):
    pull_request: PullPart
    before: str | None = None
    label: LabelPart | None = None
    changes: dict[str, object] = {}


class PushPayload(LenientModel):
    ref: str
    after: str
    deleted: bool = False


class IssueCommentPayload(LenientModel):
    issue: IssuePart
    comment: CommentPart


class ReviewCommentPayload(LenientModel):
    pull_request: PullPart
    comment: CommentPart


class ThreadPart(LenientModel):
    comments: list[CommentPart] = []


class ThreadPayload(LenientModel):
    pull_request: PullPart
    thread: ThreadPart


class ReviewPart(LenientModel):
    id: int
    node_id: str = ""
    body: str | None = None


class ReviewPayload(LenientModel):
    pull_request: PullPart
    review: ReviewPart


class AccountPart(LenientModel):
    login: str = ""


class GrantPart(LenientModel):
    account: AccountPart | None = None
    permissions: dict[str, str] = {}


class InstallationPayload(LenientModel):
    installation: GrantPart
    repositories: list[ListedRepositoryPart] = []


class InstallationRepositoriesPayload(LenientModel):
    repositories_added: list[ListedRepositoryPart] = []
    repositories_removed: list[ListedRepositoryPart] = []
