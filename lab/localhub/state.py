"""The state of the local GitHub, as plain records; the operations are in the other modules."""

from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

Permission = Literal["admin", "maintain", "write", "triage", "read", "none"]
RANKS: dict[str, int] = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}


class Refused(Exception):
    """An error response of GitHub: its `status`, message, and `errors` list."""

    def __init__(self, status: int, message: str, errors: list[Any] | None = None, accepted: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.accepted = accepted  # the X-Accepted-GitHub-Permissions header


def node_id(prefix: str, number: int) -> str:
    """Returns an opaque global id; `prefix` is its kind as in GitHub's ids (PR, PRRT, PRRC, IC…)."""
    return f"{prefix}_kwDO{urlsafe_b64encode(str(number).encode()).decode().rstrip('=')}"


@dataclass
class Account:
    """A person, an organisation, or the bot user of an App."""

    id: int
    login: str
    type: Literal["User", "Organization", "Bot"] = "User"
    name: str = ""

    @property
    def email(self) -> str:
        """The no-reply address that GitHub writes into commits."""
        return f"{self.id}+{self.login}@users.noreply.github.com"


@dataclass
class App:
    """A registered GitHub App. `private_key` is PKCS#1 PEM, as from GitHub."""

    id: int
    slug: str
    name: str
    client_id: str
    owner: Account
    bot: Account
    private_key: str
    webhook_secret: str
    webhook_url: str | None
    permissions: dict[str, str]
    events: list[str]
    created_at: datetime
    client_secret: str = ""
    callback_urls: list[str] = field(default_factory=list)


@dataclass
class Installation:
    """An App on an account. `repo_ids` None means all its repositories."""

    id: int
    app_id: int
    account: Account
    permissions: dict[str, str]
    events: list[str]
    repo_ids: set[int] | None
    created_at: datetime
    suspended_at: datetime | None = None


@dataclass
class Token:
    """A token of an installation (possibly restricted) or of a person (`account`); `app_id`: issued through that
    App."""

    value: str
    account: Account
    expires_at: datetime | None = None
    installation_id: int | None = None
    permissions: dict[str, str] = field(default_factory=dict)
    repo_ids: set[int] | None = None  # None: all of the installation
    revoked: bool = False
    app_id: int | None = None


@dataclass
class Repo:
    """A repository; `path` is the bare one on disk. `parent_id` is set for a fork."""

    id: int
    owner: Account
    name: str
    path: Path
    default_branch: str
    created_at: datetime
    pushed_at: datetime
    private: bool = False
    parent_id: int | None = None
    collaborators: dict[str, Permission] = field(default_factory=dict)
    protected: set[str] = field(default_factory=set)
    rules: dict[str, tuple[str, ...]] = field(default_factory=dict)  # branch → types of its ruleset rules
    suites_off: set[str] = field(default_factory=set)  # slugs of Apps without automatic check suites
    teams: set[str] = field(default_factory=set)  # slugs of the organisation's teams with access
    secrets: set[str] = field(default_factory=set)  # texts that push protection refuses
    drafts: bool = True  # whether its plan includes draft pull requests
    labels: dict[str, int] = field(default_factory=dict)  # name → label id
    deleted: bool = False

    @property
    def full_name(self) -> str:
        """owner/name"""
        return f"{self.owner.login}/{self.name}"


@dataclass
class Pull:
    """A pull request of `repo_id`; the head may be in a fork (`head_repo_id`, None if the fork was deleted)."""

    id: int
    number: int
    repo_id: int
    head_repo_id: int | None
    head_owner: str
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    title: str
    body: str | None
    author: Account
    created_at: datetime
    updated_at: datetime
    draft: bool = False
    state: Literal["open", "closed"] = "open"
    closed_at: datetime | None = None
    merged_at: datetime | None = None
    merged_by: Account | None = None
    merge_commit_sha: str | None = None
    maintainer_can_modify: bool = False
    labels: list[str] = field(default_factory=list)
    reviewers: list[Account] = field(default_factory=list)
    teams: list[str] = field(default_factory=list)  # slugs of teams with a requested review
    app_id: int | None = None


@dataclass
class IssueComment:
    """A comment on a pull request. `minimized` has the classifier once it is hidden."""

    id: int
    repo_id: int
    number: int
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime
    app_id: int | None = None
    minimized: str | None = None
    deleted: bool = False


@dataclass
class Review:
    """A review. State PENDING is invisible to others."""

    id: int
    repo_id: int
    number: int
    author: Account
    body: str
    state: str
    commit_id: str
    submitted_at: datetime | None


@dataclass
class ReviewComment:
    """A comment on lines of the diff. `line` is None once it is outdated; `original_*` never change."""

    id: int
    repo_id: int
    number: int
    review_id: int
    thread_id: int
    author: Account
    body: str
    path: str
    side: Literal["LEFT", "RIGHT"]
    line: int | None
    start_line: int | None
    original_line: int | None
    original_start_line: int | None
    commit_id: str
    original_commit_id: str
    diff_hunk: str
    created_at: datetime
    updated_at: datetime
    in_reply_to: int | None = None
    subject_type: Literal["line", "file"] = "line"
    start_side: Literal["LEFT", "RIGHT"] | None = None
    app_id: int | None = None
    minimized: str | None = None
    deleted: bool = False


@dataclass
class Thread:
    """A review thread; it is outdated when its first comment is."""

    id: int
    repo_id: int
    number: int
    resolved_by: Account | None = None
    applied_sha: str | None = None  # the commit that applied its suggestion

    @property
    def resolved(self) -> bool:
        """Whether somebody resolved it (or its suggestion was committed)."""
        return self.resolved_by is not None

    @property
    def node_id(self) -> str:
        """The id for GraphQL's mutations."""
        return node_id("PRRT", self.id)


@dataclass
class Reaction:
    """A reaction to a comment (`subject_id`: of an issue comment, a review comment or a pull request)."""

    id: int
    subject_id: int
    account: Account
    content: str
    created_at: datetime


@dataclass
class Attempt:
    """One attempt to deliver an event; `status_code` 0 if there was no response."""

    id: int
    delivered_at: datetime
    redelivery: bool
    status: str
    status_code: int
    duration: float


@dataclass
class Delivery:
    """An event for the App, with the exact bytes that were (or will be) sent. A redelivery keeps `guid`."""

    guid: str
    app_id: int
    event: str
    action: str | None
    payload: bytes
    installation_id: int | None
    repository_id: int | None
    attempts: list[Attempt] = field(default_factory=list)
    dropped: bool = False


@dataclass(frozen=True)
class HubEvent:
    """An event, with GitHub's name, for all listeners (webhooks, the runner, pages)."""

    event: str
    action: str | None
    repo: Repo | None
    sender: Account
    subject: dict[str, Any]
    only_app: str | None = None  # slug of the App, for events that only it receives


@dataclass
class Code:
    """A person's consent; valid for one exchange."""

    app_id: int
    login: str
    redirect: str
    challenge: str
    until: datetime
