"""Webhook bytes become one of these and go no further: frozen, ours, with just the fields that are used."""

from typing import Literal

from healing.model import Frozen

DashboardWord = Literal["retry", "cancel", "apply", "reject"]  # the commands that the dashboard has buttons for
CommitWord = Literal["retry", "cancel"]  # those of them that a commit without a pull request has
# A comment below the page, in a review's thread, a review's own text, or no comment but a form on Heal's dashboard.
Where = Literal["issue", "review", "summary", "dashboard"]


class Repo(Frozen):
    """A repository as events name it."""

    id: int
    full_name: str  # owner/name
    default_branch: str = "main"
    private: bool = False


class Person(Frozen):
    """Who did it. `is_bot` comes from GitHub's `type`, never from the name."""

    login: str
    id: int
    is_bot: bool = False


class Event(Frozen):
    """What every event has."""

    installation_id: int
    repo: Repo
    sender: Person


def is_own_branch(source: object, head_repo_id: object, repo_id: int) -> bool:
    """Whether what a failure calls its branch is a branch of the repository itself.

    GitHub runs workflows for the pull requests of forks and names the fork's branch, which anybody can call `main`;
    owners don't tell forks inside one organisation apart. So a workflow run's own statement of the repository is
    needed. Check suites of forks name no branch, and statuses only branches of the repository.
    """
    return head_repo_id == repo_id or (head_repo_id is None and source != "workflow_run")


class CheckFailed(Event):
    """A check on a commit failed: somebody's check run, a workflow run or a commit status."""

    sha: str
    source: Literal["check_run", "workflow_run", "status"]
    name: str
    check_run_id: int | None = None  # for Actions: the job id too (facts: check_run.id == job id)
    check_suite_id: int | None = None
    workflow_run_id: int | None = None
    run_attempt: int = 1
    app_slug: str | None = None
    conclusion: str = "failure"
    head_branch: str | None = None
    head_owner: str | None = None
    head_repo_id: int | None = None  # of a workflow run; None where the fork was deleted
    pull_numbers: tuple[int, ...] = ()

    @property
    def own_branch(self) -> str | None:
        """The branch of the repository that was checked; None for a fork's, whatever its name."""
        return self.head_branch if is_own_branch(self.source, self.head_repo_id, self.repo.id) else None


class SuiteSettled(Event):
    """All check runs of one app on a commit are done: the best point to stop waiting."""

    sha: str
    check_suite_id: int
    app_slug: str | None = None
    head_branch: str | None = None
    pull_numbers: tuple[int, ...] = ()


class SuiteRequested(Event):
    """GitHub opened a check suite for a push, and waits for its App to make check runs in it."""

    sha: str
    app_slug: str | None = None
    app_id: int | None = None


class StatusPassed(Event):
    """A CI that speaks by commit statuses reports that one of them passed."""

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
    label: str | None = None  # that was put on or taken off


class PullClosed(Event):
    """A pull request was closed or merged."""

    number: int
    merged: bool


class ThreadResolved(Event):
    """Somebody resolved a review thread, or opened it again; `comment_id` is its first comment. Which of both it was is
    asked of GitHub: events come in any order."""

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
    """Somebody sent a form of Heal's dashboard: a command given elsewhere. No webhook brings it; `ask_id` is its own,
    as a comment has one."""

    number: int
    ask_id: int
    word: DashboardWord
    args: tuple[str, ...] = ()


class AskedOfCommit(Event):
    """Somebody sent a form of Heal's dashboard about a commit of the default branch, which has no pull request to say a
    command on. `hint` is for the agents of a further attempt."""

    sha: str
    ask_id: int
    word: CommitWord
    hint: str = ""


class Uninstalled(Frozen):
    """Heal was taken off an account, or off some of its repositories (`repo_ids` empty: off all)."""

    installation_id: int
    repo_ids: tuple[int, ...] = ()


class Installed(Frozen):
    """Heal was put on an account or on more of its repositories, or was granted other permissions there; `permissions`
    is empty where the event doesn't tell them."""

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
