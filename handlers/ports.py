"""What the conversation may ask of the world, as protocols; `bot` implements them, tests use the real ones.

Nothing here can see a token. Reading and writing are apart: `GitHub` only reads; `Publisher` is the only writer, and
each of its methods is idempotent by content (a hidden marker is looked for before, and read back after).
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol, TypedDict

from handlers.plans import CheckPlan, CommitPlan, FileChange, FixupPlan, Posted, ReviewPlan
from healing.failure import Annotation, ReportFile
from healing.logs import flakes
from healing.model import CiRun, Edit, Frozen, NotLooked, Outcome, Proposal, Unfixable
from healing.steps import Steps


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


class CiRunNow(Frozen):
    """A workflow run as it is now: its latest attempt, and how that ended (None: not yet)."""

    attempt: int
    conclusion: str | None


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


CiState = Literal["green", "red", "running", "none"]  # `none`: no check said that it passed, and none that it failed


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
    async def ci_run(self, workflow_run_id: int) -> CiRunNow | None: ...
    async def job_log(self, job_id: int) -> bytes | None: ...
    async def green_log(self, job: Job, branch: str) -> bytes | None:
        """The log of the newest green job of the same name and workflow on `branch`, where there is one (EX-8)."""
        ...

    async def annotations(self, check_run_id: int) -> tuple[Annotation, ...]: ...
    async def reports(self, workflow_run_id: int) -> tuple[ReportFile, ...]:
        """The files among a run's artifacts that look like tools' reports, and those that could not be had."""
        ...

    async def ci_state(self, sha: str, without: str) -> CiState:
        """What all check runs and commit statuses of a commit say together, but for those of the App `without`."""
        ...

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
    async def may_rerun(self) -> bool:
        """Whether the installation grants `actions: write`, asked of GitHub."""
        ...

    async def rerun(self, ci_run: CiRun) -> str:
        """Runs the failed jobs of a workflow run again, if it is still at that attempt. Gives why not, in GitHub's
        words, or nothing: then a later attempt is there, by this call or by another."""
        ...


ProposalStatus = Literal["pending", "offered", "applied", "rejected", "rolled-back", "outdated"]
Delivery = Literal["suggestion", "fixup", "patch", "none"]
STANDING: tuple[ProposalStatus, ...] = ("pending", "offered")  # still to be decided by a person
EVERY: tuple[ProposalStatus, ...] = (*STANDING, "applied", "rejected", "rolled-back", "outdated")


class StoredProposal(Frozen):
    """A proposal with its life on GitHub. `delivery` is how it was offered."""

    proposal: Proposal
    run_id: str
    attempt: int
    number: int
    status: ProposalStatus
    delivery: Delivery = "none"
    comment_id: int | None = None
    fixup_number: int | None = None
    reason: str = ""
    applied_sha: str | None = None


class ProposalChange(TypedDict, total=False):
    """What may change in a stored proposal's life; what is not named stays as it is."""

    proposal: Proposal
    run_id: str
    attempt: int
    status: ProposalStatus
    delivery: Delivery
    comment_id: int | None
    fixup_number: int | None
    reason: str
    applied_sha: str | None


class Allowance(Frozen):
    """Whether a person may ask now. `answer`: yes. `say`: no, and tell them once that it is until `until` (Unix time
    in seconds). `silent`: no, and they know."""

    verdict: Literal["answer", "say", "silent"]
    until: float = 0.0


class Run(Frozen):
    """One healing of one commit; `attempt` counts from 1 (IN-3). `started_at` is when gathering ended, in seconds since
    the Epoch: a later life of the run keeps it."""

    repo_id: int
    full_name: str
    installation_id: int
    sha: str
    attempt: int
    number: int | None
    state: Literal["gathering", "running", "done", "superseded", "stopped"]
    run_id: str | None = None
    started_at: float | None = None
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
    async def update_proposal(
        self, known: StoredProposal, change: ProposalChange, only: tuple[ProposalStatus, ...]
    ) -> bool:
        """Writes what `change` names and nothing else, if the status is one of `only` at that moment: what others
        decided meanwhile is not undone. Gives whether it was written."""
        ...

    async def proposals(self, number: int) -> tuple[StoredProposal, ...]:
        """Of one pull request, in the order in which they were made."""
        ...

    async def save_unfixables(self, number: int, run_id: str, reports: tuple[Unfixable, ...]) -> None: ...
    async def unfixables(self, number: int) -> tuple[Unfixable, ...]: ...
    async def save_test_outcomes(self, outcomes: tuple[flakes.Outcome, ...]) -> None:
        """Each test has at most one red and one green outcome a commit."""
        ...

    async def test_outcomes(self, tests: tuple[str, ...]) -> tuple[flakes.Outcome, ...]: ...
    async def allow(self, person_id: int, question: str, most: int, seconds: float) -> Allowance:
        """Counts a question of a person: at most `most` are answered in any `seconds`. The same `question` again gets
        the same verdict."""
        ...

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
    async def reruns_by_itself(self, run: Run, pull: Pull | None) -> bool:
        """Whether the repository wants CI's runs that may pass to be run again once, without being asked (OP-7)."""
        ...

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
    steps: Steps  # of the delivery or run at work: after a crash they give what they gave
    slug: str  # the App's slug: Heal's own comments are by `<slug>[bot]`

    def lane(self, number: int) -> AbstractAsyncContextManager[None]:
        """Held over the whole of a healing, or of a carrying-over: work on one pull request is serial (law 4)."""
        ...

    def pull_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        """Held around look, post and read back, so that one pull request hears one voice at a time."""
        ...
