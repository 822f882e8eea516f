"""What each user may see according to GitHub, cached in memory for a few minutes."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.web.signin.github import Person, PersonsGitHub, Seen
from bot.web.signin.sessions import SignInSession

FRESH_SECONDS = 180.0
MAX_PERSONS = 500


@dataclass
class _Look:
    """One user's cached result; concurrent requests wait for the same lookup."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    at: float = float("-inf")
    seen: Seen | None = None


class PersonAccess:
    """What users may see. `now` returns Unix time in seconds."""

    def __init__(self, github: PersonsGitHub, now: Callable[[], float]) -> None:
        self._github, self._now = github, now
        self._looks: OrderedDict[str, _Look] = OrderedDict()

    async def seen(self, session: SignInSession) -> Seen:
        """Returns what the user may see, at most three minutes old. Raises Refused."""
        name = hashlib.sha256(session.cookie.encode()).hexdigest()
        look = self._looks.setdefault(name, _Look())
        self._looks.move_to_end(name)
        while len(self._looks) > MAX_PERSONS:
            self._looks.popitem(last=False)
        async with look.lock:
            if look.seen is None or self._now() - look.at >= FRESH_SECONDS:
                look.seen = await self._github.seen(session.token)
                look.at = self._now()
            return look.seen

    async def person(self, session: SignInSession) -> Person:
        """Returns the user of the session, read from GitHub now. Raises Refused."""
        return await self._github.person(session.token)

    def forget(self) -> None:
        """Drops all cached results, because an installation was changed."""
        self._looks.clear()
