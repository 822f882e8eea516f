"""How Heal gets into GitHub, for longer than one piece of work: the App, its tokens, each installation's pace, and what
was answered before."""

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

MOST_TOKENS = 5_000  # of one repository and one set of permissions each

Permissions = frozenset[tuple[str, str]]


# What was used last, up to a number: so that a process which serves many repositories does not grow with them.
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Latest(Generic[Key, Value]):
    """At most `most` values; who was not asked for longest goes first. Whoever holds one may go on with it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of this key, made where it isn't there."""
        if key not in self._kept:
            self._kept[key] = make()
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return self._kept[key]

    def __len__(self) -> int:
        return len(self._kept)


class Access:
    """One for a process, which is called `who`. `why_not` says why nothing may be written just now; `book_of`
    gives where an installation's pace is kept."""

    def __init__(
        self,
        settings: Settings,
        now: Callable[[], float],
        sleep: Sleep,
        why_not: Callable[[], Awaitable[str | None]],
        observe: Observe,
        book_of: Callable[[int], WriteLog],
        who: str,
    ) -> None:
        self._settings = settings
        self._now = now
        self._sleep = sleep
        self._why_not = why_not
        self._observe = observe
        self._book_of = book_of
        self._who = who
        self._paces: dict[int, Pace] = {}
        self._tokens: Latest[tuple[int, int, Permissions], RepoToken] = Latest(MOST_TOKENS)
        self._answers = EtagCache()
        self.app = App(
            Transport(settings.github_url, Pace(now, sleep), observe), settings.app_id, settings.private_key, now
        )

    def transport(self, installation_id: int) -> Transport:
        """A connection for one piece of work; all of an installation keep one pace."""
        if installation_id not in self._paces:
            gap, write_log = self._settings.write_gap, self._book_of(installation_id)
            self._paces[installation_id] = Pace(self._now, self._sleep, gap, self._why_not, write_log, self._who)
        return Transport(self._settings.github_url, self._paces[installation_id], self._observe)

    def client(self, transport: Transport, installation_id: int, repo: Repo, permissions: dict[str, str]) -> RepoClient:
        """Calls about one repository with these permissions and no others."""
        key = (installation_id, repo.id, frozenset(permissions.items()))
        etags = Etags(self._answers, key)
        return RepoClient(transport, self.token(installation_id, repo.id, permissions), repo.full_name, etags)

    def token(self, installation_id: int, repo_id: int, permissions: dict[str, str]) -> RepoToken:
        """The token of one repository with these permissions."""
        key = (installation_id, repo_id, frozenset(permissions.items()))
        return self._tokens.get(key, lambda: RepoToken(self.app, installation_id, repo_id, permissions, self._now))
