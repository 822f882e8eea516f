"""Process-wide access to GitHub: the App, its tokens, the pace of each installation, and cached responses."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from bot.github.client import RepoClient
from bot.github.etags import EtagCache, Etags
from bot.github.pace import Pace, WriteLog
from bot.github.tokens import App, RepoToken
from bot.github.transport import Observe, Sleep, Transport
from bot.settings import Settings
from handlers.events import Repo

MAX_TOKENS = 5_000  # each for one repository and one set of permissions

Permissions = frozenset[tuple[str, str]]


# A bounded cache, so that a process's memory does not grow with the number of repositories it serves.
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Latest(Generic[Key, Value]):
    """An LRU cache of at most `most` values. An evicted value stays valid for its users."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Returns the value of this key, created by `make` if it is missing."""
        if key not in self._kept:
            self._kept[key] = make()
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return self._kept[key]

    def __len__(self) -> int:
        return len(self._kept)


class Access:
    """Access of one `process`. `why_not` returns why nothing may be written now, or None; `write_log_of` returns
    the write log of an installation."""

    def __init__(
        self,
        settings: Settings,
        now: Callable[[], float],
        sleep: Sleep,
        why_not: Callable[[], Awaitable[str | None]],
        observe: Observe,
        write_log_of: Callable[[int], WriteLog],
        process: str,
    ) -> None:
        self._settings = settings
        self._now = now
        self._sleep = sleep
        self._why_not = why_not
        self._observe = observe
        self._write_log_of = write_log_of
        self._process = process
        self._paces: dict[int, Pace] = {}
        self._tokens: Latest[tuple[int, int, Permissions], RepoToken] = Latest(MAX_TOKENS)
        self._answers = EtagCache()
        self.app = App(
            Transport(settings.github_url, Pace(now, sleep), observe), settings.app_id, settings.private_key, now
        )

    def transport(self, installation_id: int) -> Transport:
        """Returns a new transport; all transports of an installation share one pace."""
        if installation_id not in self._paces:
            gap, write_log = self._settings.write_gap, self._write_log_of(installation_id)
            self._paces[installation_id] = Pace(self._now, self._sleep, gap, self._why_not, write_log, self._process)
        return Transport(self._settings.github_url, self._paces[installation_id], self._observe)

    def client(self, transport: Transport, installation_id: int, repo: Repo, permissions: dict[str, str]) -> RepoClient:
        """Returns a client for one repository with exactly these permissions."""
        key = (installation_id, repo.id, frozenset(permissions.items()))
        etags = Etags(self._answers, key)
        return RepoClient(transport, self.token(installation_id, repo.id, permissions), repo.full_name, etags)

    def token(self, installation_id: int, repo_id: int, permissions: dict[str, str]) -> RepoToken:
        """Returns the token of one repository with these permissions."""
        key = (installation_id, repo_id, frozenset(permissions.items()))
        return self._tokens.get(key, lambda: RepoToken(self.app, installation_id, repo_id, permissions, self._now))
