"""A pull request as GitHub shows it: itself, its files, its comments; and GitHub's refusals, as values."""

from typing import Literal

from healing.model import Frozen


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
    base_repo: str | None = None  # as GitHub calls it now: the one we know may have been renamed

    def is_fork_of(self, full_name: str) -> bool:
        """Whether its head lives in another repository than its base, which was `full_name` when we received it."""
        return self.head_repo != (self.base_repo or full_name)


class ChangedFile(Frozen):
    """One file of a pull request's diff; `patch` is None for binary or very large ones."""

    path: str
    status: str  # added, modified, removed, renamed…
    patch: str | None = None
    previous_path: str | None = None


class ReviewComment(Frozen):
    """A comment in a review thread as GitHub keeps it; `line` is None once it is outdated."""

    id: int
    body: str
    path: str
    line: int | None
    in_reply_to: int | None
    author: str
    author_is_bot: bool


class ReviewThread(Frozen):
    """A review thread, known by its first comment. `resolved_by` is a login, a bot's without `[bot]`; None where GitHub
    names nobody."""

    id: str
    comment_id: int
    resolved: bool
    resolved_by: str | None = None


class Comment(Frozen):
    """A comment of the conversation."""

    id: int
    body: str
    author: str
    author_is_bot: bool


class Refused(Exception):
    """GitHub refused: `status` and its own words. A rate limit carries `retry_after` seconds. `needs` are permissions
    one of which would do, as GitHub's header names them: `issues=write; pull_requests=write`."""

    def __init__(self, status: int, message: str, retry_after: float | None = None, needs: str = "") -> None:
        super().__init__(f"GitHub answered {status}: {message}")
        self.status = status
        self.message = message
        self.retry_after = retry_after
        self.needs = needs


class HeadMoved(Exception):
    """The branch is no longer at the expected head: nothing was written."""
