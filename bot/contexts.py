"""Builds the context of a handler: GitHub, publisher, store, healer and queue, bound to one repository."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pydantic import SecretStr

from bot.cluster_tasks import ClusterTaskRunner, ClusterTasks
from bot.lease import Lease
from bot.metrics.tally import Tally
from bot.settings import Settings
from bot.store.chat_messages import NoChat, StoredChat
from bot.store.database import Database
from bot.store.locks import LocalLocks, Locks
from bot.store.repo import RepoStore
from bot.store.steps import StoredSteps
from bot.store.tries import Tries
from handlers.events import Repo
from handlers.model import Addresses, Chat, Enqueue, GitHub, Healer, Publisher, Store
from healing.steps import Steps

if TYPE_CHECKING:
    from bot.github.access import Access
    from bot.github.reader import Reader
    from bot.github.tokens import RepoToken
    from bot.github.transport import Sleep
    from bot.github.tries import TryBranches
    from bot.store.paces import StoredWriteLog
    from bot.trials import TrialContext

Clock = Callable[[], float]


@dataclass(frozen=True)
class RepoSite:
    """What `bot.runs` gets of one repository. Its token is read-only and only for git; all that it can write are
    branches for `trials` in CI."""

    settings: Settings
    installation_id: int
    repo: Repo
    slug: str
    github: GitHub
    store: RepoStore
    now: Clock
    read_token: "RepoToken"
    trials: "TrialContext"
    cluster_tasks: ClusterTasks | None  # None: this worker is alone on its database
    until: AsyncExitStack  # closed with the context
    _database: Database

    @property
    def git_url(self) -> str:
        """The URL to fetch from; user `x-access-token`, password `await site.password()`."""
        return f"{self.settings.git_url}/{self.repo.full_name}.git"

    async def password(self) -> SecretStr:
        """Returns a read-only installation token of this repository, valid for at least a minute. Raises Refused."""
        return await self.read_token.get()

    def steps(self, run_key: str) -> StoredSteps:
        """Returns the durable steps of one run; after a crash the same key finds the same results."""
        return StoredSteps(self._database, self.repo.id, run_key, self.now)


class SiteHealer(Healer, ClusterTaskRunner, Protocol):
    """The healer of one repository, for this worker's runs and for cluster tasks of other workers."""


MakeHealer = Callable[[RepoSite], SiteHealer]


@dataclass
class RepoContext:
    """`handlers.model.Context`."""

    github: GitHub
    publisher: Publisher
    store: Store
    healer: Healer
    queue: Enqueue
    steps: Steps
    slug: str
    addresses: Addresses
    chat: Chat
    cluster_tasks: ClusterTaskRunner  # for runs of other workers
    _lock: Callable[[str, int], AbstractAsyncContextManager[None]]

    def pull_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        """A lock shared by all workers."""
        return self._lock("post", number)

    def work_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        """A lock shared by all workers, like `pull_lock`."""
        return self._lock("lane", number)


class Contexts:
    """Opens contexts, and keeps the tokens and locks that outlive a single context. Needs the App's settings."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        queue: Enqueue,
        make_healer: MakeHealer,
        now: Clock = time.time,
        sleep: "Sleep" = asyncio.sleep,
        lease: Lease | None = None,
        cluster_tasks: ClusterTasks | None = None,
    ) -> None:
        self.now = now
        self._cluster_tasks = cluster_tasks
        self._lease = lease
        self._locks: Locks = LocalLocks() if lease is None else lease.locks
        self._name = "heal" if lease is None else lease.life.worker
        self.settings = settings
        self._database = database
        self._queue = queue
        self._make_healer = make_healer
        self._sleep = sleep
        self.tally = Tally()
        self._access: Access | None = None

    def store(self, repo_id: int, full_name: str = "") -> RepoStore:
        return RepoStore(self._database, repo_id, full_name, self.now, starts_on=self.settings.start == "on")

    async def check_lease(self) -> None:
        """Raises LeaseLost if another worker may have taken over this one's work."""
        if self._lease is not None:
            await self._lease.check()

    async def rest(self, seconds: float) -> None:
        """Waits, with the `sleep` of these contexts."""
        await self._sleep(seconds)

    @asynccontextmanager
    async def open(self, installation_id: int, repo: Repo, work: str) -> AsyncIterator[RepoContext]:
        """Opens a context for the current task, to which its connections belong. `work` names the work done in it, so
        that after a crash the same work finds its durable steps. Raises Refused if GitHub refuses the App."""
        from bot.github.publisher import RepoPublisher
        from bot.github.reader import Reader
        from bot.github.tokens import ASK_TEAMS, READ, RERUN, WRITE
        from bot.github.tries import TryBranches

        access = self.access()
        slug = await access.app.slug()
        async with access.transport(installation_id) as transport, AsyncExitStack() as until:
            client = partial(access.client, transport, installation_id, repo)
            github, writer = Reader(client(READ), repo.id), client(WRITE)
            actions = client(RERUN)
            lock = partial(self._locks.hold, repo.id)
            publisher = RepoPublisher(
                writer, actions, client(ASK_TEAMS), slug, lambda sha: lock("check", int(sha[:15], 16))
            )
            store = self.store(repo.id, repo.full_name)
            trials = self._trials(installation_id, repo, github, TryBranches(writer, actions))
            read_token = access.token(installation_id, repo.id, READ)
            site = RepoSite(
                self.settings, installation_id, repo, slug, github, store, self.now, read_token, trials,
                self._cluster_tasks, until, self._database,
            )  # fmt: skip
            healer = self._make_healer(site)
            steps = site.steps(work)
            pages = {"site": self.settings.public_url, "repo": repo.full_name, "github": self.settings.git_url}
            named = self.settings.chat_url.get_secret_value()
            chat = StoredChat(self._database, repo.id, self.now) if named else NoChat()
            yield RepoContext(
                github, publisher, store, healer, self._queue, steps, slug, Addresses(**pages), chat, healer, lock
            )  # fmt: skip

    def _trials(self, installation_id: int, repo: Repo, reader: "Reader", branches: "TryBranches") -> "TrialContext":
        """Returns all that `bot.runs` may write with: branches for trials in CI."""
        from bot.trials import TrialContext

        tries = Tries(self._database, self.now)
        return TrialContext(
            installation_id, repo, reader, branches, tries, partial(self._locks.hold, repo.id, "try", 0)
        )

    @asynccontextmanager
    async def try_branches(self, installation_id: int, repo: Repo) -> AsyncIterator["TryBranches"]:
        """Opens the trial branches of a repository, to remove left-over ones. Using them raises Refused."""
        from bot.github.tokens import RERUN, WRITE
        from bot.github.tries import TryBranches

        access = self.access()
        async with access.transport(installation_id) as transport:
            client = partial(access.client, transport, installation_id, repo)
            yield TryBranches(client(WRITE), client(RERUN))

    def access(self) -> "Access":
        """Returns the process's access to GitHub; created on first use, because its client is slow to import."""
        from bot.github.access import Access

        if self._access is None:
            self._access = Access(
                self.settings, self.now, self._sleep, self._why_not, self.tally.observe, self._write_log_of, self._name
            )
        return self._access

    def _write_log_of(self, installation_id: int) -> "StoredWriteLog":
        """Returns an installation's write log, which all workers share."""
        from bot.store.paces import StoredWriteLog

        return StoredWriteLog(self._database, installation_id, self.now)

    async def _why_not(self) -> str | None:
        """Returns why nothing may be written anywhere (the operator's stop), or None. Raises LeaseLost if another
        worker may have taken over this one's work."""
        await self.check_lease()
        return await self.store(0).stopped()
