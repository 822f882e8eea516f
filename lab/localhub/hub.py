"""The whole state of the local GitHub in one place: registries, one id counter, one clock, one lock."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any

from lab.localhub.bare import Bare
from lab.localhub.ci_state import Artifact, CheckRun, CheckSuite, CommitStatus, Job, WorkflowRun
from lab.localhub.state import (
    RANKS,
    Account,
    App,
    Code,
    Delivery,
    HubEvent,
    Installation,
    IssueComment,
    Permission,
    Pull,
    Reaction,
    Refused,
    Repo,
    Review,
    ReviewComment,
    Thread,
    Token,
)


def utc_now() -> datetime:
    """The default clock of a hub."""
    return datetime.now(UTC)


class Hub:
    """The state of the local GitHub. `folder` contains the bare repositories; `now` is its only clock.

    Public records are dicts by id, in the order of creation. Code in another thread that reads or writes several of
    them must hold `lock`. `url` is the base URL, without a trailing slash.
    """

    def __init__(self, folder: Path, now: Callable[[], datetime] = utc_now) -> None:
        self.folder = folder
        self.now = now
        self.signing_now = utc_now  # for checking the times in JWTs: client libraries sign with the machine's clock
        self.url = "http://localhost"
        self.blob_url = "http://localhost"  # of logs; another origin than `url`, like GitHub's storage
        self.links: dict[str, tuple[bytes, datetime]] = {}  # short-lived link → content, expiry
        self.lock = RLock()
        self.accounts: dict[str, Account] = {}
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.codes: dict[str, Code] = {}  # OAuth codes of persons who consented
        self.manifest_codes: dict[str, tuple[int, datetime]] = {}  # code → App id, expiry
        self.repos: dict[int, Repo] = {}
        self.pulls: dict[tuple[int, int], Pull] = {}
        self.comments: dict[int, IssueComment] = {}
        self.reviews: dict[int, Review] = {}
        self.review_comments: dict[int, ReviewComment] = {}
        self.threads: dict[int, Thread] = {}
        self.reactions: dict[int, Reaction] = {}
        self.suites: dict[int, CheckSuite] = {}
        self.check_runs: dict[int, CheckRun] = {}
        self.runs: dict[int, WorkflowRun] = {}
        self.jobs: dict[int, Job] = {}
        self.artifacts: dict[int, Artifact] = {}
        self.statuses: list[CommitStatus] = []
        self.deliveries: list[Delivery] = []
        self.listeners: list[Callable[[HubEvent], None]] = []
        self.redeliver: Callable[[Delivery], None] | None = None  # set by the sender of webhooks
        self.unanswered = 0  # deliveries queued or being sent; maintained by `webhooks`
        self._last_id = 1000
        folder.mkdir(parents=True, exist_ok=True)
        self.web_flow = self.person("web-flow", name="GitHub")
        self.actions_bot = self.person("github-actions[bot]", kind="Bot")

    def next_id(self) -> int:
        """Returns an id that is unique on this hub."""
        with self.lock:
            self._last_id += 1
            return self._last_id

    def person(self, login: str, name: str = "", kind: Any = "User") -> Account:
        """Returns the account `login`, created if it doesn't exist."""
        with self.lock:
            if login not in self.accounts:
                self.accounts[login] = Account(self.next_id(), login, kind, name or login)
            return self.accounts[login]

    def publish(
        self,
        event: str,
        action: str | None,
        repo: Repo | None,
        sender: Account,
        only_app: str | None = None,
        **subject: Any,
    ) -> None:
        """Publishes an event to all listeners, in order."""
        hub_event = HubEvent(event, action, repo, sender, subject, only_app)
        for listener in tuple(self.listeners):
            listener(hub_event)

    async def settled(self, seconds: float = 30.0) -> None:
        """Waits until all deliveries so far were answered or given up. Raises TimeoutError after `seconds`."""
        async with asyncio.timeout(seconds):
            while self.unanswered:  # noqa: ASYNC110 -- changed from other threads too
                await asyncio.sleep(0.005)

    # Look-ups ------------------------------------------------------------------------------------------------------

    def repo(self, full_name: str) -> Repo:
        """Returns a repository by owner/name, ignoring case. Raises Refused(404)."""
        for repo in self.repos.values():
            if repo.full_name.lower() == full_name.lower() and not repo.deleted:
                return repo
        raise Refused(404, "Not Found")

    def bare(self, repo: Repo) -> Bare:
        """Returns the repository's bare git repository on disk."""
        return Bare(repo.path)

    def pull(self, repo: Repo, number: int) -> Pull:
        """Returns a pull request. Raises Refused(404)."""
        pull = self.pulls.get((repo.id, number))
        if pull is None:
            raise Refused(404, "Not Found")
        return pull

    def pulls_of(self, repo: Repo) -> list[Pull]:
        """Returns the repository's pull requests, ordered by number."""
        return [pull for pull in self.pulls.values() if pull.repo_id == repo.id]

    def conversation(self, pull: Pull) -> list[IssueComment]:
        """Returns the comments on the pull request itself, oldest first."""
        return [
            c for c in self.comments.values() if (c.repo_id, c.number) == (pull.repo_id, pull.number) and not c.deleted
        ]

    def reviews_of(self, pull: Pull) -> list[Review]:
        """Returns the reviews, oldest first, including pending ones."""
        return [r for r in self.reviews.values() if (r.repo_id, r.number) == (pull.repo_id, pull.number)]

    def review_comments_of(self, pull: Pull) -> list[ReviewComment]:
        """Returns the comments on the diff, oldest first."""
        comments = self.review_comments.values()
        return [c for c in comments if (c.repo_id, c.number) == (pull.repo_id, pull.number) and not c.deleted]

    def threads_of(self, pull: Pull) -> list[tuple[Thread, list[ReviewComment]]]:
        """Returns each thread with its comments in order; threads without comments are left out."""
        comments = self.review_comments_of(pull)
        mine = [t for t in self.threads.values() if (t.repo_id, t.number) == (pull.repo_id, pull.number)]
        pairs = [(thread, [c for c in comments if c.thread_id == thread.id]) for thread in mine]
        return [(thread, found) for thread, found in pairs if found]

    def reactions_to(self, subject_id: int) -> list[Reaction]:
        """Oldest first."""
        return [r for r in self.reactions.values() if r.subject_id == subject_id]

    def app_by_slug(self, slug: str) -> App | None:
        """Returns the App; None for `github-actions`, which isn't registered here."""
        return next((app for app in self.apps.values() if app.slug == slug), None)

    def installation_for(self, app: App, repo: Repo) -> Installation | None:
        """Returns the installation for `repo`, suspended or not, or None."""
        for installation in self.installations.values():
            covers = installation.repo_ids is None or repo.id in installation.repo_ids
            if installation.app_id == app.id and installation.account.id == repo.owner.id and covers:
                return installation
        return None

    def permission(self, repo: Repo, login: str) -> Permission:
        """Returns a person's permission: the owner is admin, and everybody can read public repositories."""
        if login == repo.owner.login:
            return "admin"
        return repo.collaborators.get(login, "none" if repo.private else "read")

    def may(self, repo: Repo, login: str, wanted: Permission) -> bool:
        """Whether `login` has at least the permission `wanted`."""
        return RANKS[self.permission(repo, login)] >= RANKS[wanted]
