"""Values that describe what to write to GitHub: reviews, commits, fixup pull requests, check runs; and the result."""

from typing import Literal

from pydantic import Field

from healing.failed_jobs import Annotation
from healing.model import Frozen


class SuggestionPlan(Frozen):
    """One review comment with one suggestion; lines are of the head file, inclusive."""

    proposal_id: str
    path: str
    start_line: int
    end_line: int
    body: str  # with the suggestion block and the hidden marker


class ReviewPlan(Frozen):
    """One review, with its comments. `marker` is the hidden text that identifies it."""

    number: int
    commit_sha: str
    marker: str
    body: str
    comments: tuple[SuggestionPlan, ...]


class Withdrawal(Frozen):
    """A suggestion's comment that gets a new text, and its thread if that should be resolved."""

    comment_id: int
    body: str
    thread_id: str | None = None


class FileChange(Frozen):
    """One file of a commit; `content` is base64, None deletes the file."""

    path: str
    content: str | None
    mode: str = "100644"


class CommitPlan(Frozen):
    """A commit through the API on an existing branch whose head must be `expected_head`."""

    branch: str
    expected_head: str
    headline: str
    body: str
    changes: tuple[FileChange, ...]


class FixupPlan(Frozen):
    """A fixup pull request into `base_ref`: a branch off `start_sha` with one commit per proposal. `draft`: until its
    own CI has passed; not if a person requested it."""

    branch: str
    start_sha: str
    base_ref: str
    title: str
    body: str  # with its hidden marker
    marker: str
    commits: tuple[tuple[str, str, tuple[FileChange, ...]], ...]  # (headline, body, changes)
    labels: tuple[str, ...] = ()
    draft: bool = True


class Reviewers(Frozen):
    """Requested reviewers: logins, and slugs of teams."""

    people: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()


class CheckPlan(Frozen):
    """Heal's check run for one attempt at a head SHA, found again by `external_id`. `details_url` is Heal's own page
    about the attempt; empty without a public address."""

    sha: str
    external_id: str
    status: Literal["queued", "in_progress", "completed"]
    conclusion: Literal["neutral", "success"] | None
    title: str
    summary: str
    annotations: tuple[Annotation, ...] = ()  # GitHub can only add annotations, never remove them
    details_url: str = ""
    actions: tuple[tuple[str, str, str], ...] = ()  # (label, description, identifier)


class Posted(Frozen):
    """What GitHub stored: its id and URL."""

    id: int
    url: str = ""
    sha: str = ""  # for a fixup pull request: its head
    extra: dict[str, int] = Field(default_factory=dict)  # for a review: proposal id → first review comment id
