"""The few fields of GitHub's webhook payloads that we use, as lenient models: what we don't name is ignored."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Loose(BaseModel):
    """A part of a payload: unknown keys are ignored, known ones must have the right shape; null is as good as not
    there."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, part: Any) -> Any:
        if not isinstance(part, dict) or None not in part.values():
            return part
        return {name: value for name, value in part.items() if value is not None}


class RepositoryPart(Loose):
    id: int
    full_name: str
    default_branch: str = "main"
    private: bool = False


class PersonPart(Loose):
    login: str
    id: int
    type: str = "User"


class InstallationPart(Loose):
    id: int


class AppPart(Loose):
    id: int | None = None
    slug: str | None = None


class RefRepoPart(Loose):
    id: int


class BasePart(Loose):
    repo: RefRepoPart | None = None


class RefPart(Loose):
    sha: str


class PullRefPart(Loose):
    number: int
    head: RefPart | None = None
    base: BasePart | None = None


class SuitePart(Loose):
    id: int
    head_sha: str | None = None
    head_branch: str | None = None
    app: AppPart | None = None
    pull_requests: list[PullRefPart] = []


class CheckRunPart(Loose):
    id: int
    name: str
    head_sha: str
    conclusion: str | None = None
    app: AppPart | None = None
    check_suite: SuitePart | None = None
    pull_requests: list[PullRefPart] = []


class OwnerPart(Loose):
    login: str


class HeadRepositoryPart(Loose):
    id: int | None = None
    owner: OwnerPart | None = None


class WorkflowRunPart(Loose):
    id: int
    name: str | None = None
    head_sha: str
    head_branch: str | None = None
    run_attempt: int = 1
    conclusion: str | None = None
    check_suite_id: int | None = None
    head_repository: HeadRepositoryPart | None = None
    pull_requests: list[PullRefPart] = []


class LabelPart(Loose):
    name: str


class PullPart(Loose):
    number: int
    head: RefPart
    draft: bool = False
    merged: bool | None = None


class CommentPart(Loose):
    id: int
    body: str | None = None
    in_reply_to_id: int | None = None


class IssuePart(Loose):
    number: int
    pull_request: object | None = None


class BranchPart(Loose):
    name: str


class ButtonPart(Loose):
    identifier: str


class ListedRepositoryPart(Loose):
    id: int
    full_name: str
    private: bool = False


class Envelope(Loose):
    """What nearly every payload has. `installation` is missing where the hook is not an App's."""

    action: str = ""
    installation: InstallationPart | None = None
    repository: RepositoryPart | None = None
    sender: PersonPart | None = None


class CheckRunPayload(Loose):
    check_run: CheckRunPart


class PressedPayload(CheckRunPayload):
    requested_action: ButtonPart


class CheckSuitePayload(Loose):
    check_suite: SuitePart


class WorkflowRunPayload(Loose):
    workflow_run: WorkflowRunPart


class StatusPayload(Loose):
    sha: str
    state: str
    context: str = "status"
    branches: list[BranchPart] = []


class PullPayload(Loose):
    pull_request: PullPart
    before: str | None = None
    label: LabelPart | None = None
    changes: dict[str, object] = {}


class PushPayload(Loose):
    ref: str
    after: str
    deleted: bool = False


class IssueCommentPayload(Loose):
    issue: IssuePart
    comment: CommentPart


class ReviewCommentPayload(Loose):
    pull_request: PullPart
    comment: CommentPart


class ThreadPart(Loose):
    comments: list[CommentPart] = []


class ThreadPayload(Loose):
    pull_request: PullPart
    thread: ThreadPart


class ReviewPart(Loose):
    id: int
    node_id: str = ""
    body: str | None = None


class ReviewPayload(Loose):
    pull_request: PullPart
    review: ReviewPart


class AccountPart(Loose):
    login: str = ""


class GrantPart(Loose):
    account: AccountPart | None = None
    permissions: dict[str, str] = {}


class InstallationPayload(Loose):
    installation: GrantPart
    repositories: list[ListedRepositoryPart] = []


class InstallationRepositoriesPayload(Loose):
    repositories_added: list[ListedRepositoryPart] = []
    repositories_removed: list[ListedRepositoryPart] = []
