"""What one worker does with the rows of one kind: takes them, works on so many at once, and gives back what it lost."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from bot.durable.retry import with_retry
from bot.store.held_session import LeaseLost

BATCH_SECONDS = 0.05  # between taking and taking: what comes meanwhile is taken together
GIVE_BACK_SECONDS = 5.0  # between looks for what was taken and nobody works on

Key = TypeVar("Key", bound=Hashable)
Key_co = TypeVar("Key_co", covariant=True)

log = logging.getLogger("heal.queue")


class Taken(Protocol[Key_co]):
    """A row to be worked on now, for the `starts`th time."""

    @property
    def key(self) -> Key_co: ...

    @property
    def starts(self) -> int: ...


@dataclass(frozen=True)
class Queue(Generic[Key]):
    """How rows of one kind are worked on: `at_once` of them on one worker, each started at most `most_starts` times.

    `work` gets how often the row was started before, and gives the seconds to wait before it is to be started again, or
    None where it is over; then, and where it raised, `end` follows. `give_up` comes before `end` where it was started
    too often: it waited each time, or the process ended in the middle of it each time.
    """

    name: str
    at_once: int
    most_starts: int
    take: Callable[[int, tuple[Key, ...]], Awaitable[tuple[Taken[Key], ...]]]  # how many, beside which
    give_back: Callable[[tuple[Key, ...]], Awaitable[int]]  # frees what nobody has in hand
    work: Callable[[Key, int], Awaitable[float | None]]
    later: Callable[[Key, float], Awaitable[None]]
    give_up: Callable[[Key], Awaitable[None]]
    end: Callable[[Key], Awaitable[None]]

    async def handle(self, taken: Taken[Key]) -> float | None:
        """Works on one row; gives the seconds that it has to wait, None where it is over. Raises what the work raises.
        Where this worker lost its right the row stays taken, and is given back."""
        if taken.starts > self.most_starts:  # the last start never came to its end: one more would not, either
            await self._given_up(taken)
            return None
        try:
            wait = await self.work(taken.key, taken.starts - 1)
        except LeaseLost:
            raise
        except Exception:  # whatever it was, the row must not be taken again; it is raised
            await with_retry(partial(self.end, taken.key))
            raise
        if wait is None:
            await with_retry(partial(self.end, taken.key))
        elif taken.starts < self.most_starts:
            await with_retry(partial(self.later, taken.key, wait))
        else:
            await self._given_up(taken)
            return None
        return wait

    async def _given_up(self, taken: Taken[Key]) -> None:
        log.error("%s %s was started %d times; it is given up", self.name, taken.key, taken.starts)
        await with_retry(partial(self.give_up, taken.key))
        await with_retry(partial(self.end, taken.key))


class Wakeup:
    """Set by anybody, waited for by one. `read` before a look: what comes during it is news again."""

    def __init__(self) -> None:
        self._there = asyncio.Event()

    def notify(self) -> None:
        """There is something new."""
        self._there.set()

    def read(self) -> None:
        """What there is will be looked at now."""
        self._there.clear()

    async def within(self, seconds: float) -> None:
        """Comes back with the next news, or after so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._there.wait()
        except TimeoutError:
            pass


class Consumer(Generic[Key]):
    """One worker at one queue. `poll`: seconds between looks for what other processes put there."""

    def __init__(self, queue: Queue[Key], poll: float) -> None:
        self._queue = queue
        self._poll = poll
        self._in_hand: dict[Key, asyncio.Task[float | None]] = {}
        self._wakeup = Wakeup()
        self._gave_back = float("-inf")

    def notify(self) -> None:
        """Something was put there by this process."""
        self._wakeup.notify()

    async def again_and_again(self) -> None:
        """Until it is cancelled, or this worker may work no longer."""
        try:
            while True:
                self._wakeup.read()
                await with_retry(self._give_back)
                found = await with_retry(self._take)
                for taken in found:
                    self._in_hand[taken.key] = asyncio.create_task(self._queue.handle(taken))
                    self._in_hand[taken.key].add_done_callback(partial(self._let_go, taken.key))
                if found:
                    await asyncio.sleep(BATCH_SECONDS)
                await self._rest(full=len(self._in_hand) == self._queue.at_once)
        except LeaseLost:
            return  # whoever takes over gives back what is in these hands
        finally:
            left = list(self._in_hand.values())
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    async def _take(self) -> tuple[Taken[Key], ...]:
        room = self._queue.at_once - len(self._in_hand)
        return await self._queue.take(room, tuple(self._in_hand)) if room else ()

    async def _rest(self, full: bool) -> None:
        """Until there is a reason to look again: room in the hands, else news."""
        if full:
            await asyncio.wait(self._in_hand.values(), return_when=asyncio.FIRST_COMPLETED)
        else:
            await self._wakeup.within(self._poll)

    async def _give_back(self) -> None:
        """Never while something is being taken: that is in no hands yet."""
        if (now := time.monotonic()) - self._gave_back >= GIVE_BACK_SECONDS:
            await self._queue.give_back(tuple(self._in_hand))
            self._gave_back = now

    def _let_go(self, key: Key, task: "asyncio.Task[float | None]") -> None:
        """What goes wrong is in the row. Where not even that could be written, or this worker lost its right, the row
        stays taken."""
        del self._in_hand[key]
        self._wakeup.notify()
        error = None if task.cancelled() else task.exception()
        if isinstance(error, LeaseLost | SQLAlchemyError):
            log.warning("%s %s is retried later: %s", self._queue.name, key, type(error).__name__)
        elif error is not None:
            log.error("%s %s failed", self._queue.name, key, exc_info=error)
