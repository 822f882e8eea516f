"""Heal's own event types, to which webhooks are converted: frozen, with only the fields that are used."""

from typing import Literal

from healing.model import Frozen

DashboardWord = Literal["retry", "cancel", "apply", "reject"]  # the commands that the dashboard has buttons for
CommitWord = Literal["retry", "cancel"]  # those of them for a commit without a pull request
# A comment on the pull request, in a review thread, a review's summary, or a form on Heal's dashboard.
Where = Literal["issue", "review", "summary", "dashboard"]


class Repo(Frozen):
    """A repository as in events."""

    id: int
    full_name: str  # owner/name
    default_branch: str = "main"
    private: bool = False


class Person(Frozen):
    """A GitHub user. `is_bot` comes from GitHub's `type`, never from the name."""

    login: str
    id: int
    is_bot: bool = False


class Event(Frozen):
    """The fields that all events of a repository have."""

    installation_id: int
    repo: Repo
    sender: Person


def is_own_branch(source: object, head_repo_id: object, repo_id: int) -> bool:
    """Whether the branch that a failure names is a branch of the repository itself.

    GitHub runs workflows for pull requests from forks and names the fork's branch, which may also be called `main`; the
    owner doesn't distinguish forks within one organisation. So the workflow run's own head repository is needed. Check
    suites of forks name no branch, and statuses name only branches of the repository.
    """
    return head_repo_id == repo_id or (head_repo_id is None and source != "workflow_run")


class CheckFailed(Event):
    """A check on a commit failed: a check run, a workflow run or a commit status."""

    sha: str
    source: Literal["check_run", "workflow_run", "status"]
    name: str
    check_run_id: int | None = None  # for Actions this is also the job id
    check_suite_id: int | None = None
    workflow_run_id: int | None = None
    run_attempt: int = 1
    app_slug: str | None = None
    conclusion: str = "failure"
    head_branch: str | None = None
    head_owner: str | None = None
    head_repo_id: int | None = None  # of a workflow run; None if the fork was deleted
    pull_numbers: tuple[int, ...] = ()

    @property
    def own_branch(self) -> str | None:
        """The checked branch of the repository; None for a fork's branch of any name."""
        return self.head_branch if is_own_branch(self.source, self.head_repo_id, self.repo.id) else None


class SuiteSettled(Event):
    """All check runs of one app on a commit are completed, so the debounce window may end."""

    sha: str
    check_suite_id: int
    app_slug: str | None = None
    head_branch: str | None = None
    pull_numbers: tuple[int, ...] = ()


class SuiteRequested(Event):
    """GitHub opened a check suite for a push, and waits for its App to create check runs in it."""

    sha: str
    app_slug: str | None = None
    app_id: int | None = None


class StatusPassed(Event):
    """A commit status of a CI system passed."""

    sha: str
    name: str
    head_branch: str | None = None


class RerunAsked(Event):
    """Somebody pressed Re-run on Heal's own check run or suite."""

    sha: str
    check_run_id: int | None = None


class ButtonPressed(Event):
    """Somebody pressed one of the buttons of Heal's check run."""

    sha: str
    check_run_id: int
    identifier: str


class PullChanged(Event):
    """A pull request was opened, moved, made ready, drafted, relabelled or retargeted."""

    number: int
    action: str
    head_sha: str
    before: str | None = None
    draft: bool = False
    label: str | None = None  # the label that was added or removed


class PullClosed(Event):
    """A pull request was closed or merged."""

    number: int
    merged: bool


class ThreadResolved(Event):
    """Somebody resolved or unresolved a review thread; `comment_id` is its first comment. The current state is read
    from GitHub, since events may arrive in any order."""

    number: int
    comment_id: int


class DefaultBranchMoved(Event):
    """Somebody pushed to the repository's default branch."""

    sha: str


class CommentCreated(Event):
    """A new comment on a pull request, a reply in a review thread (then `in_reply_to` is the thread's first), or the
    summary of a submitted review (then `comment_id` is the review's, and `node_id` what GraphQL calls it)."""

    number: int
    comment_id: int
    where: Where
    body: str
    in_reply_to: int | None = None
    node_id: str = ""


class AskedOnDashboard(Event):
    """Somebody sent a command with a form on Heal's dashboard. It is no webhook; `ask_id` identifies it, like a
    comment's id."""

    number: int
    ask_id: int
    word: DashboardWord
    args: tuple[str, ...] = ()


class AskedOfCommit(Event):
    """Somebody sent a command on Heal's dashboard for a commit of the default branch, which has no pull request. `hint`
    is for the agents of a further attempt."""

    sha: str
    ask_id: int
    word: CommitWord
    hint: str = ""


class Uninstalled(Frozen):
    """Heal was uninstalled from an account, or from some of its repositories (`repo_ids` empty: from all)."""

    installation_id: int
    repo_ids: tuple[int, ...] = ()


class Installed(Frozen):
    """Heal was installed on an account or on more of its repositories, or was granted other permissions there;
    `permissions` is empty if the event doesn't have them."""

    installation_id: int
    repos: tuple[Repo, ...] = ()
    account: str = ""
    permissions: tuple[tuple[str, str], ...] = ()  # name and level


AnyEvent = (
    CheckFailed
    | SuiteSettled
    | SuiteRequested
    | StatusPassed
    | RerunAsked
    | ButtonPressed
    | PullChanged
    | PullClosed
    | ThreadResolved
    | DefaultBranchMoved
    | CommentCreated
    | AskedOnDashboard
    | AskedOfCommit
    | Installed
    | Uninstalled
)
