"""What each user may see according to GitHub, cached in memory for a few minutes."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.web.signin.github import Person, PersonsGitHub, VisibleRepos
from bot.web.signin.sessions import SignInSession

FRESH_SECONDS = 180.0
MAX_PERSONS = 500


@dataclass
class _CachedAccess:
    """One user's cached result; concurrent requests wait for the same lookup."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    at: float = float("-inf")
    visible: VisibleRepos | None = None


class PersonAccess:
    """What users may see. `now` returns Unix time in seconds."""

    def __init__(self, github: PersonsGitHub, now: Callable[[], float]) -> None:
        self._github, self._now = github, now
        self._cached: OrderedDict[str, _CachedAccess] = OrderedDict()

    async def visible_repos(self, session: SignInSession) -> VisibleRepos:
        """Returns what the user may see, at most three minutes old. Raises Refused."""
        name = hashlib.sha256(session.cookie.encode()).hexdigest()
        cached = self._cached.setdefault(name, _CachedAccess())
        self._cached.move_to_end(name)
        while len(self._cached) > MAX_PERSONS:
            self._cached.popitem(last=False)
        async with cached.lock:
            if cached.visible is None or self._now() - cached.at >= FRESH_SECONDS:
                cached.visible = await self._github.visible_repos(session.token)
                cached.at = self._now()
            return cached.visible

    async def person(self, session: SignInSession) -> Person:
        """Returns the user of the session, read from GitHub now. Raises Refused."""
        return await self._github.person(session.token)

    def forget(self) -> None:
        """Drops all cached results, because an installation was changed."""
        self._cached.clear()
