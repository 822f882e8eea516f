"""The request rate of one installation: one writer at a time, a second between writes, GitHub's limits for content, and
no requests while a rate limit is exceeded."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from handlers.model import Refused

MINUTE, HOUR = 60.0, 3600.0
CONTENT_LIMITS = ((MINUTE, 80), (HOUR, 500))  # requests that create content (GitHub's secondary limits)
MAX_WAIT = MINUTE  # for a turn; longer waits are refused with `retry_after`, so that no task blocks meanwhile
MAX_TURN = MINUTE  # longer than any write; a process that dies during its turn blocks the others for this long
LOOK_AGAIN = 0.2  # seconds between checks whether another process has finished its write
LOOK_SECONDS = 1.0  # how long a reader trusts the last known state of limits
SECONDARY_WAIT = 60.0  # after a limit without a stated duration; doubled each time in a row
STOP_SECONDS = 30.0  # between checks whether the operator's stop was lifted
_CONTENT = re.compile(r"/(?:comments|replies|reviews|pulls|issues)$")

Answer = TypeVar("Answer")


def creates_content(method: str, path: str) -> bool:
    """Whether a request creates content that people are notified of: a comment, a review, a pull request."""
    return method == "POST" and _CONTENT.search(path) is not None


async def never_refuse() -> str | None:
    """A `why_not` that always allows writes."""
    return None


def refuse_closed(seconds: float) -> None:
    """Raises Refused if a rate limit stays exceeded for `seconds` more."""
    if seconds > 0:
        raise Refused(429, "GitHub's rate limit is closed; nothing was sent", retry_after=seconds)


@dataclass
class State:
    """The rate state of an installation. Times are seconds, by the clock of the log in which it is kept."""

    next_write: float = 0.0  # earliest time of the next write
    closed_until: float = 0.0  # no requests before this time
    strikes: int = 0  # consecutive limits without a stated duration
    writer: str = ""  # the process whose turn it is
    writer_until: float = 0.0  # end of its turn, even if it has died
    content: list[float] = field(default_factory=list)  # when content was created, within the last hour

    def close(self, now: float, seconds: float | None) -> float:
        """Records that GitHub reported a rate limit. `seconds` is the duration that GitHub stated, if any. Returns the
        seconds to wait."""
        if seconds is None:
            seconds = min(SECONDARY_WAIT * 2.0**self.strikes, HOUR)
            self.strikes += 1
        self.closed_until = max(self.closed_until, now + seconds)
        return seconds

    def take(self, now: float, process: str, content: bool) -> float:
        """Requests a turn to write for `process`. Returns 0 if it has the turn now, else the seconds until it may ask
        again. Raises Refused if the wait is too long, and while a limit is exceeded."""
        refuse_closed(self.closed_until - now)
        wait = max(self.next_write - now, self._until_room(now) if content else 0.0)
        if wait <= 0 and self.writer not in ("", process) and now < self.writer_until:
            wait = min(LOOK_AGAIN, self.writer_until - now)
        if wait > MAX_WAIT:
            raise Refused(429, "so much was posted within an hour that GitHub wants a rest", retry_after=wait)
        if wait <= 0:
            self.writer, self.writer_until = process, now + MAX_TURN
        return max(wait, 0.0)

    def give_back(self, now: float, process: str) -> None:
        """Ends the turn of `process`."""
        if self.writer == process:
            self.writer = ""

    def wrote(self, now: float, gap: float, content: bool) -> None:
        """Records that a write was sent."""
        self.next_write = now + gap
        if content:
            self.content = [*(at for at in self.content if at > now - HOUR), now]

    def _until_room(self, now: float) -> float:
        """Seconds until one more piece of content fits into every limit."""
        waits = [self.content[-most] + span - now for span, most in CONTENT_LIMITS if len(self.content) >= most]
        return max(waits, default=0.0)


class WriteLog(Protocol):
    """Keeps the rate state of one installation, for all its writers."""

    async def read(self) -> tuple[State, float]:
        """Returns the state and the current time."""
        ...

    async def change(self, act: Callable[[State, float], Answer]) -> Answer:
        """Calls `act` with the state, which it may change, and the current time; atomic. Returns what `act` returns."""
        ...


class InMemoryWriteLog:
    """A write log for a single process. `now` returns seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._state = State()
        self._now = now

    async def read(self) -> tuple[State, float]:
        return self._state, self._now()

    async def change(self, act: Callable[[State, float], Answer]) -> Answer:
        return act(self._state, self._now())


class Pace:
    """The pace of one installation, shared by all its clients in this process, and through its write log with other
    processes. `now` returns Unix time in seconds; `gap` is the pause between two writes (GitHub asks for 1 s);
    `why_not` returns why nothing may be written now, or None; `process` is this process, under the same name after a
    restart."""

    def __init__(
        self,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        gap: float = 0.0,
        why_not: Callable[[], Awaitable[str | None]] = never_refuse,
        write_log: WriteLog | None = None,
        process: str = "heal",
    ) -> None:
        self._now = now
        self.sleep = sleep
        self._gap = gap
        self._why_not = why_not
        self._write_log = write_log or InMemoryWriteLog(now)
        self._process = process
        self._writing = asyncio.Lock()
        self._looked_at = self._closed_until = float("-inf")

    async def refuse_while_closed(self) -> None:
        """Raises Refused while a rate limit that GitHub reported to any process is exceeded: GitHub may ban an App that
        continues to send requests."""
        if self._now() >= self._looked_at + LOOK_SECONDS:
            state, now = await self._write_log.read()
            self._note(state.closed_until - now)
        refuse_closed(self._closed_until - self._now())

    async def close(self, seconds: float | None) -> float:
        """See `State.close`."""
        wait = await self._write_log.change(lambda state, now: state.close(now, seconds))
        self._note(wait)
        return wait

    @asynccontextmanager
    async def turn(self, content: bool) -> AsyncIterator[None]:
        """Waits for the exclusive turn to write, and holds it for one write. Raises Refused if the wait is too long,
        while a limit is exceeded, and while the operator has stopped Heal."""
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
        while wait := await self._write_log.change(lambda state, now: state.take(now, self._process, content)):
            await self.sleep(wait)

    async def _give_back(self, content: bool, sent: bool, well: bool) -> None:
        def over(state: State, now: float) -> None:
            state.give_back(now, self._process)
            if sent:
                state.wrote(now, self._gap, content)
            if well:
                state.strikes = 0

        await self._write_log.change(over)

    def _note(self, closed: float) -> None:
        self._looked_at = self._now()
        self._closed_until = self._looked_at + closed
