"""A pull request on GitHub, its files and its comments; and GitHub's refusals."""

from typing import Literal

from healing.model import Frozen


class Pull(Frozen):
    """A pull request, as just read. `head_repo` is None if the fork was deleted."""

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
    base_repo: str | None = None  # its current full name: the repository may have been renamed

    def is_fork_of(self, full_name: str) -> bool:
        """Whether its head is in another repository than its base, which was `full_name` when the event was
        received."""
        return self.head_repo != (self.base_repo or full_name)


class ChangedFile(Frozen):
    """One file of a pull request's diff; `patch` is None for binary or very large ones."""

    path: str
    status: str  # added, modified, removed, renamed…
    patch: str | None = None
    previous_path: str | None = None


class ReviewComment(Frozen):
    """A comment in a review thread; `line` is None once it is outdated."""

    id: int
    body: str
    path: str
    line: int | None
    in_reply_to: int | None
    author: str
    author_is_bot: bool


class ReviewThread(Frozen):
    """A review thread, identified by its first comment. `resolved_by` is a login, a bot's without `[bot]`; None if
    GitHub names none."""

    id: str
    comment_id: int
    resolved: bool
    resolved_by: str | None = None


class Comment(Frozen):
    """A comment on a pull request outside of reviews."""

    id: int
    body: str
    author: str
    author_is_bot: bool


class Refused(Exception):
    """GitHub refused a request, with this `status` and `message`. A rate limit has `retry_after` in seconds. `needs`
    are alternative permissions, one of which would suffice, as in GitHub's header: `issues=write;
    pull_requests=write`. `request` is the refused one, like `POST /repos/ada/calc/check-runs`; empty if none was
    sent."""

    def __init__(
        self, status: int, message: str, retry_after: float | None = None, needs: str = "", request: str = ""
    ) -> None:
        super().__init__(f"GitHub answered {status}: {message}")
        self.status = status
        self.message = message
        self.retry_after = retry_after
        self.needs = needs
        self.request = request


class HeadMoved(Exception):
    """The branch is no longer at the expected head: nothing was written."""
