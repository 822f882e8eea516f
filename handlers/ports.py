"""What the conversation may ask of the world, as protocols; `bot` implements them, tests use the real ones.

Nothing here can see a token. Reading and writing are apart: `GitHub` only reads; `Publisher` is the only writer, and
each of its methods is idempotent by content (a hidden marker is looked for before, and read back after).
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol

from pydantic import Field

from healing.model import Edit, Frozen, NotLooked, Outcome, Proposal, Unfixable


class Pull(Frozen):
    """A pull request, as read a moment ago. `head_repo` is None when the fork was deleted."""

    number: int
    title: str
    state: Literal["open", "closed"]
    draft: bool
    head_sha: str
    head_ref: str
    head_repo: str | None
    base_sha: str
    base_ref: str
    author: str
    labels: tuple[str, ...] = ()

    def is_fork_of(self, full_name: str) -> bool:
        """Whether its head lives in another repository than `full_name`."""
        return self.head_repo != full_name


class ChangedFile(Frozen):
    """One file of a pull request's diff; `patch` is None for binary or very large ones."""

    path: str
    status: str  # added, modified, removed, renamed…
    patch: str | None = None
    previous_path: str | None = None


class JobStep(Frozen):
    """A step of an Actions job; times are ISO 8601 UTC."""

    name: str
    number: int
    conclusion: str | None
    started_at: str | None = None
    completed_at: str | None = None


class Job(Frozen):
    """An Actions job. `workflow_path` like `.github/workflows/ci.yml`; `event` is what started the run."""

    id: int
    run_id: int
    run_attempt: int
    name: str
    conclusion: str | None
    workflow_path: str | None
    event: str
    steps: tuple[JobStep, ...]


class Annotation(Frozen):
    """One annotation of a check run."""

    path: str
    start_line: int
    end_line: int
    level: str
    message: str
    title: str | None = None


class ReviewComment(Frozen):
    """A comment in a review thread as GitHub keeps it; `line` is None once it is outdated."""

    id: int
    body: str
    path: str
    line: int | None
    in_reply_to: int | None
    author: str
    author_is_bot: bool


class Comment(Frozen):
    """A comment of the conversation."""

    id: int
    body: str
    author: str
    author_is_bot: bool


class GitHub(Protocol):
    """Reads, all about one repository. Not found is None; other refusals raise `Refused`."""

    async def pull(self, number: int) -> Pull | None: ...
    async def pulls_of(self, sha: str, branch: str | None, owner: str | None) -> tuple[Pull, ...]:
        """Open pull requests whose head is `sha` (facts/GitHub 4: payloads and forks need three ways)."""
        ...

    async def changed_files(self, number: int) -> tuple[ChangedFile, ...]: ...
    async def merge_base(self, base: str, head: str) -> str | None: ...
    async def job(self, job_id: int) -> Job | None: ...
    async def failed_jobs(self, workflow_run_id: int) -> tuple[Job, ...]: ...
    async def job_log(self, job_id: int) -> bytes | None: ...
    async def annotations(self, check_run_id: int) -> tuple[Annotation, ...]: ...
    async def permission(self, login: str) -> str:
        """`admin`, `write`, `read` or `none`, asked now (SC-3)."""
        ...

    async def file(self, path: str, ref: str) -> bytes | None: ...
    async def comments(self, number: int) -> tuple[Comment, ...]: ...
    async def review_comments(self, number: int) -> tuple[ReviewComment, ...]: ...
    async def branch_protected(self, branch: str) -> bool: ...
    async def commit_message(self, sha: str) -> str | None:
        """The whole message: its trailers tell Heal's own commits from people's (IN-4)."""
        ...


class Refused(Exception):
    """GitHub said no: `status` and its own words. A rate limit carries `retry_after` seconds."""

    def __init__(self, status: int, message: str, retry_after: float | None = None) -> None:
        super().__init__(f"GitHub answered {status}: {message}")
        self.status = status
        self.message = message
        self.retry_after = retry_after


class SuggestionPlan(Frozen):
    """One review comment with one suggestion; lines are of the head file, both inclusive."""

    proposal_id: str
    path: str
    start_line: int
    end_line: int
    body: str  # with the suggestion block and the hidden marker


class ReviewPlan(Frozen):
    """One review: posted whole or not at all. `marker` is the hidden text that names it."""

    number: int
    commit_sha: str
    marker: str
    body: str
    comments: tuple[SuggestionPlan, ...]


class FileChange(Frozen):
    """One file of a commit; `content` is base64, None deletes."""

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
    """A fixup pull request: a branch off `start_sha`, one commit a proposal, into `base_ref` (GH-5)."""

    branch: str
    start_sha: str
    base_ref: str
    title: str
    body: str  # with its hidden marker
    marker: str
    commits: tuple[tuple[str, str, tuple[FileChange, ...]], ...]  # (headline, body, changes)
    labels: tuple[str, ...] = ()


class CheckPlan(Frozen):
    """Heal's check run for a head SHA; `external_id` finds it again."""

    sha: str
    external_id: str
    status: Literal["in_progress", "completed"]
    conclusion: Literal["neutral", "success"] | None
    title: str
    summary: str
    actions: tuple[tuple[str, str, str], ...] = ()  # (label, description, identifier)


class Posted(Frozen):
    """What GitHub kept: ids and the address to look at."""

    id: int
    url: str = ""
    extra: dict[str, int] = Field(default_factory=dict)  # for a review: proposal id → first review comment id


class HeadMoved(Exception):
    """The branch is no longer at the expected head: nothing was written."""


class Publisher(Protocol):
    """The only holder of a write token. Every method looks for its marker first and gives what is there."""

    async def review(self, plan: ReviewPlan) -> Posted: ...
    async def sticky(self, number: int, marker: str, body: str, create: bool = True) -> Posted | None:
        """Makes or edits the one comment with `marker`; with `create` false only edits."""
        ...

    async def answer(self, number: int, marker: str, body: str, in_reply_to: int | None) -> Posted:
        """The answer to one command: made once, later edited in place."""
        ...

    async def react(self, comment_id: int, where: Literal["issue", "review"], content: str) -> None: ...
    async def check(self, plan: CheckPlan) -> Posted: ...
    async def commit(self, plan: CommitPlan, marker: str) -> str:
        """Gives the new head. Looks whether the branch already holds the commit with `marker`. Raises HeadMoved."""
        ...

    async def fixup(self, plan: FixupPlan) -> Posted: ...
    async def close_fixup(self, number: int, branch: str, why: str) -> None: ...


ProposalStatus = Literal["pending", "offered", "applied", "rejected", "rolled-back", "outdated"]


class StoredProposal(Frozen):
    """A proposal with its life on GitHub. `delivery` is how it was offered."""

    proposal: Proposal
    run_id: str
    attempt: int
    number: int
    status: ProposalStatus
    delivery: Literal["suggestion", "fixup", "patch", "none"] = "none"
    comment_id: int | None = None
    fixup_number: int | None = None
    reason: str = ""
    applied_sha: str | None = None


class Run(Frozen):
    """One healing of one commit; `attempt` counts from 1 (IN-3)."""

    repo_id: int
    full_name: str
    installation_id: int
    sha: str
    attempt: int
    number: int | None
    state: Literal["gathering", "running", "done", "superseded", "stopped"]
    run_id: str | None = None
    outcome: Outcome | None = None


class Store(Protocol):
    """What Heal remembers about one repository; every call is one transaction."""

    async def open_attempt(self, event_key: str, installation_id: int, sha: str, failure: dict[str, object]) -> Run:
        """Stores one failure of a commit and gives the attempt that it belongs to: the one that still gathers, or
        the next one. The same `event_key` twice changes nothing."""
        ...

    async def failures(self, sha: str, attempt: int) -> tuple[dict[str, object], ...]: ...
    async def save_run(self, run: Run) -> None: ...
    async def run(self, sha: str, attempt: int) -> Run | None: ...
    async def runs(self, number: int) -> tuple[Run, ...]:
        """Of one pull request, newest first."""
        ...

    async def supersede(self, number: int, keep_sha: str) -> tuple[Run, ...]:
        """Marks runs of other heads of this pull request as superseded and gives those that were unfinished."""
        ...

    async def save_proposals(self, proposals: tuple[StoredProposal, ...]) -> None: ...
    async def update_proposal(self, proposal: StoredProposal) -> None: ...
    async def proposals(self, number: int) -> tuple[StoredProposal, ...]:
        """Of one pull request, in the order in which they were made."""
        ...

    async def save_unfixables(self, number: int, run_id: str, reports: tuple[Unfixable, ...]) -> None: ...
    async def unfixables(self, number: int) -> tuple[Unfixable, ...]: ...
    async def forget_repo(self) -> None:
        """Deletes everything about the repository (uninstall)."""
        ...


class Verified(Frozen):
    """What became of a change that was tried on a head: `changes` are the new files."""

    ok: bool
    why: str = ""
    changes: tuple[FileChange, ...] = ()


class Healer(Protocol):
    """The engine as the conversation sees it: git, worktrees, sandbox and models behind one small door."""

    async def heal(self, run: Run, pull: Pull | None, progress: Callable[[str], Awaitable[None]]) -> Outcome: ...
    async def carry_over(self, pull: Pull, old: StoredProposal) -> Proposal | NotLooked:
        """The proposal re-anchored on the pull request's head and verified there without a model, or why not."""
        ...

    async def try_edits(self, pull: Pull, edits: tuple[Edit, ...], proposal: Proposal, verify: bool) -> Verified:
        """Applies edits to the head's tree; with `verify` also runs the proposal's checks there (SC-4)."""
        ...

    async def changed_since(self, pull: Pull, proposal: Proposal) -> Literal["absent", "applied", "other"]:
        """Whether the head holds the proposal's result already (GH-6)."""
        ...


class Enqueue(Protocol):
    """Starts durable work; the same arguments twice start it once."""

    async def healing(self, run: Run) -> None: ...


class World(Protocol):
    """Everything a handler gets, bound to one repository of one installation."""

    github: GitHub
    publisher: Publisher
    store: Store
    healer: Healer
    queue: Enqueue
    slug: str  # the App's slug: Heal's own comments are by `<slug>[bot]`

    def lane(self, number: int) -> AbstractAsyncContextManager[None]:
        """Held over the whole of a healing, or of a carrying-over: work on one pull request is serial (law 4)."""
        ...

    def pull_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        """Held around look, post and read back, so that one pull request hears one voice at a time."""
        ...
