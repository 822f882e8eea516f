"""How fast Heal may ask one installation: one writer, a second between writes, GitHub's limits for content, and silence
where GitHub asked for it."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from handlers.model import Refused

MINUTE, HOUR = 60.0, 3600.0
CONTENT_LIMITS = ((MINUTE, 80), (HOUR, 500))  # requests that make content (GitHub's secondary limits)
LONGEST_WAIT = MINUTE  # for a turn; what takes longer is put off, so that nobody holds a place meanwhile
LONGEST_TURN = MINUTE  # longer than a write takes; whoever died in one holds up the others so long
LOOK_AGAIN = 0.2  # seconds between looks whether another process has done its write
LOOK_SECONDS = 1.0  # so long a reader trusts what the book said about limits
SECONDARY_WAIT = 60.0  # after a limit that doesn't say how long; doubled each time that it comes again
STOP_SECONDS = 30.0  # between looks whether the operator's stop was lifted
_CONTENT = re.compile(r"/(?:comments|replies|reviews|pulls|issues)$")

Answer = TypeVar("Answer")


def makes_content(method: str, path: str) -> bool:
    """Whether a request makes something that people are notified of: a comment, a review, a pull request."""
    return method == "POST" and _CONTENT.search(path) is not None


async def nobody_minds() -> str | None:
    """For anyone who can't be stopped."""
    return None


def refuse_closed(seconds: float) -> None:
    """Raises Refused where a limit opens only in so many seconds."""
    if seconds > 0:
        raise Refused(429, "GitHub's rate limit is closed; nothing was sent", retry_after=seconds)


@dataclass
class State:
    """How an installation stands with GitHub. Times are seconds, by the clock of the book that it is kept in."""

    next_write: float = 0.0  # nobody writes before
    closed_until: float = 0.0  # GitHub wants silence until then
    strikes: int = 0  # limits in a row that didn't say how long
    writer: str = ""  # who writes just now
    writer_until: float = 0.0  # then their turn is over, whatever became of them
    content: list[float] = field(default_factory=list)  # when some was made within the last hour

    def close(self, now: float, seconds: float | None) -> float:
        """GitHub reported that a limit is reached. Gives the seconds to wait; `seconds` is what GitHub named, if it
        did."""
        if seconds is None:
            seconds = min(SECONDARY_WAIT * 2.0**self.strikes, HOUR)
            self.strikes += 1
        self.closed_until = max(self.closed_until, now + seconds)
        return seconds

    def take(self, now: float, who: str, content: bool) -> float:
        """The seconds until `who` may ask again for a turn to write; 0: it has one now. Raises Refused where that is
        far off, and while a limit is closed."""
        refuse_closed(self.closed_until - now)
        wait = max(self.next_write - now, self._until_room(now) if content else 0.0)
        if wait <= 0 and self.writer not in ("", who) and now < self.writer_until:
            wait = min(LOOK_AGAIN, self.writer_until - now)
        if wait > LONGEST_WAIT:
            raise Refused(429, "so much was posted within an hour that GitHub wants a rest", retry_after=wait)
        if wait <= 0:
            self.writer, self.writer_until = who, now + LONGEST_TURN
        return max(wait, 0.0)

    def give_back(self, now: float, who: str) -> None:
        """The turn is over."""
        if self.writer == who:
            self.writer = ""

    def wrote(self, now: float, gap: float, content: bool) -> None:
        """Something was sent."""
        self.next_write = now + gap
        if content:
            self.content = [*(at for at in self.content if at > now - HOUR), now]

    def _until_room(self, now: float) -> float:
        """Seconds until one more piece of content fits into every limit."""
        waits = [self.content[-most] + span - now for span, most in CONTENT_LIMITS if len(self.content) >= most]
        return max(waits, default=0.0)


class WriteLog(Protocol):
    """Keeps the state of one installation, for all that write to it."""

    async def read(self) -> tuple[State, float]:
        """The state and the time."""
        ...

    async def change(self, act: Callable[[State, float], Answer]) -> Answer:
        """What `act` gives, which changes the state that it gets with the time; nobody comes between."""
        ...


class InMemoryWriteLog:
    """For this process alone. `now` gives seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._state = State()
        self._now = now

    async def read(self) -> tuple[State, float]:
        return self._state, self._now()

    async def change(self, act: Callable[[State, float], Answer]) -> Answer:
        return act(self._state, self._now())


class Pace:
    """Of one installation, shared by all that speak for it in this process, and by its book with other processes. `now`
    gives Unix time in seconds, `gap` is the pause between two writes (GitHub asks for 1 s), `why_not` says why nothing
    may be written just now, `who` is this process: after a crash it goes on under the same name."""

    def __init__(
        self,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        gap: float = 0.0,
        why_not: Callable[[], Awaitable[str | None]] = nobody_minds,
        write_log: WriteLog | None = None,
        who: str = "heal",
    ) -> None:
        self._now = now
        self.sleep = sleep
        self._gap = gap
        self._why_not = why_not
        self._book = write_log or InMemoryWriteLog(now)
        self._who = who
        self._writing = asyncio.Lock()
        self._looked_at = self._closed_until = float("-inf")

    async def refuse_while_closed(self) -> None:
        """Raises Refused while a limit that GitHub reported to any of us is closed: asking on gets an App banned."""
        if self._now() >= self._looked_at + LOOK_SECONDS:
            state, now = await self._book.read()
            self._note(state.closed_until - now)
        refuse_closed(self._closed_until - self._now())

    async def close(self, seconds: float | None) -> float:
        """See `State.close`."""
        wait = await self._book.change(lambda state, now: state.close(now, seconds))
        self._note(wait)
        return wait

    @asynccontextmanager
    async def turn(self, content: bool) -> AsyncIterator[None]:
        """Held around one write, alone; waits for its time. Raises Refused where that is far off, while a limit is
        closed, and while the operator has stopped Heal."""
        async with self._writing:
            await self._take(content)
            sent = well = False
            try:
                if why := await self._why_not():
                    raise Refused(503, why, retry_after=STOP_SECONDS)
                sent = True
                yield
                well = True
            finally:
                await self._give_back(content, sent, well)

    async def _take(self, content: bool) -> None:
        while wait := await self._book.change(lambda state, now: state.take(now, self._who, content)):
            await self.sleep(wait)

    async def _give_back(self, content: bool, sent: bool, well: bool) -> None:
        def over(state: State, now: float) -> None:
            state.give_back(now, self._who)
            if sent:
                state.wrote(now, self._gap, content)
            if well:
                state.strikes = 0

        await self._book.change(over)

    def _note(self, closed: float) -> None:
        self._looked_at = self._now()
        self._closed_until = self._looked_at + closed
