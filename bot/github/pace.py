"""How fast Heal may ask one installation: one writer, a second between writes, GitHub's limits for content, and silence
where GitHub asked for it (GH-7)."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from handlers.ports import Refused

MINUTE, HOUR = 60.0, 3600.0
CONTENT_LIMITS = ((MINUTE, 80), (HOUR, 500))  # requests that make content (GitHub's secondary limits)
LONGEST_WAIT = MINUTE  # for a turn; what takes longer is put off, so that nobody holds a place meanwhile
SECONDARY_WAIT = 60.0  # after a limit that doesn't say how long; doubled each time that it comes again
STOP_SECONDS = 30.0  # between looks whether the operator's stop was lifted
_CONTENT = re.compile(r"/(?:comments|replies|reviews|pulls|issues)$")


def makes_content(method: str, path: str) -> bool:
    """Whether a request makes something that people are told of: a comment, a review, a pull request."""
    return method == "POST" and _CONTENT.search(path) is not None


async def nobody_minds() -> str | None:
    """For whoever can't be stopped."""
    return None


class Pace:
    """Of one installation, shared by all that speak for it in this process. `now` gives Unix time in seconds, `gap` is
    the pause between two writes (GitHub asks for 1 s), `why_not` says why nothing may be written just now."""

    def __init__(
        self,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        gap: float = 0.0,
        why_not: Callable[[], Awaitable[str | None]] = nobody_minds,
    ) -> None:
        self._now = now
        self.sleep = sleep
        self._gap = gap
        self._why_not = why_not
        self._writing = asyncio.Lock()
        self._written = float("-inf")
        self._content: deque[float] = deque()
        self._closed_until = float("-inf")
        self._strikes = 0

    def refuse_while_closed(self) -> None:
        """Raises Refused while a limit that GitHub told us of is closed: asking on is what gets an App banned."""
        left = self._closed_until - self._now()
        if left > 0:
            raise Refused(429, "GitHub's rate limit is closed; nothing was sent", retry_after=left)

    def close(self, seconds: float | None) -> float:
        """GitHub said that a limit is reached. Gives the seconds to wait; `seconds` is what GitHub named, if it did."""
        if seconds is None:
            seconds = min(SECONDARY_WAIT * 2.0**self._strikes, HOUR)
            self._strikes += 1
        self._closed_until = max(self._closed_until, self._now() + seconds)
        return seconds

    @asynccontextmanager
    async def turn(self, content: bool) -> AsyncIterator[None]:
        """Held around one write, alone; waits for its time. Raises Refused where that is far off, and while the
        operator has stopped Heal."""
        async with self._writing:
            if why := await self._why_not():
                raise Refused(503, why, retry_after=STOP_SECONDS)
            await self._wait(content)
            self.refuse_while_closed()
            try:
                yield
            finally:
                self._written = self._now()
                if content:
                    self._content.append(self._written)
            self._strikes = 0

    async def _wait(self, content: bool) -> None:
        wait = max(self._written + self._gap - self._now(), self._until_room() if content else 0.0)
        if wait > LONGEST_WAIT:
            raise Refused(429, "so much was posted within an hour that GitHub wants a rest", retry_after=wait)
        if wait > 0:
            await self.sleep(wait)

    def _until_room(self) -> float:
        """Seconds until one more piece of content fits into every limit."""
        now = self._now()
        while self._content and self._content[0] <= now - HOUR:
            self._content.popleft()
        waits = [self._content[-most] + span - now for span, most in CONTENT_LIMITS if len(self._content) >= most]
        return max(waits, default=0.0)
