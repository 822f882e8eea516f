"""How one worker processes rows of one kind: takes them, works on a limited number at once, and frees lost ones."""

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

BATCH_SECONDS = 0.05  # batch delay: rows that arrive within it are taken together
GIVE_BACK_SECONDS = 5.0  # interval of the search for taken rows that no worker works on

Key = TypeVar("Key", bound=Hashable)
Key_co = TypeVar("Key_co", covariant=True)

log = logging.getLogger("heal.queue")


class Taken(Protocol[Key_co]):
    """A row to work on now, for the `starts`th time."""

    @property
    def key(self) -> Key_co: ...

    @property
    def starts(self) -> int: ...


@dataclass(frozen=True)
class Queue(Generic[Key]):
    """How rows of one kind are processed: `at_once` of them on one worker, each started at most `most_starts` times.

    `work` gets how often the row was started before, and returns the seconds to wait before it is started again, or
    None if it is over. `end` is called when it is over and when `work` raised. `give_up` is called before `end` if the
    row was started too often: each time it waited, or the process died while working on it.
    """

    name: str
    at_once: int
    most_starts: int
    take: Callable[[int, tuple[Key, ...]], Awaitable[tuple[Taken[Key], ...]]]  # at most how many, and those in hand
    give_back: Callable[[tuple[Key, ...]], Awaitable[int]]  # frees rows that aren't in hand
    work: Callable[[Key, int], Awaitable[float | None]]
    later: Callable[[Key, float], Awaitable[None]]
    give_up: Callable[[Key], Awaitable[None]]
    end: Callable[[Key], Awaitable[None]]

    async def handle(self, taken: Taken[Key]) -> float | None:
        """Works on one row; returns the seconds that it has to wait, or None if it is over. Raises what the work
        raises. If this worker lost its lease the row stays taken, until it is given back."""
        if taken.starts > self.most_starts:  # the process died in the last allowed start
            await self._given_up(taken)
            return None
        try:
            wait = await self.work(taken.key, taken.starts - 1)
        except LeaseLost:
            raise
        except Exception:  # the row must not be taken again after any exception, which is raised again
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
    """A wakeup event with one waiter. Call `read` before looking for work: an event during that wakes it again."""

    def __init__(self) -> None:
        self._there = asyncio.Event()

    def notify(self) -> None:
        """Sets the event."""
        self._there.set()

    def read(self) -> None:
        """Clears the event."""
        self._there.clear()

    async def within(self, seconds: float) -> None:
        """Waits for the next event, at most `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._there.wait()
        except TimeoutError:
            pass


class Consumer(Generic[Key]):
    """One worker's loop over one queue. `poll`: seconds between looks for rows of other processes."""

    def __init__(self, queue: Queue[Key], poll: float) -> None:
        self._queue = queue
        self._poll = poll
        self._in_hand: dict[Key, asyncio.Task[float | None]] = {}
        self._wakeup = Wakeup()
        self._gave_back = float("-inf")

    def notify(self) -> None:
        """Signals that this process has added a row."""
        self._wakeup.notify()

    async def run_forever(self) -> None:
        """Takes and processes rows until cancelled, or until this worker loses its lease."""
        try:
            while True:
                self._wakeup.read()
                await with_retry(self._give_back)
                rows = await with_retry(self._take)
                for taken in rows:
                    self._in_hand[taken.key] = asyncio.create_task(self._queue.handle(taken))
                    self._in_hand[taken.key].add_done_callback(partial(self._let_go, taken.key))
                if rows:
                    await asyncio.sleep(BATCH_SECONDS)
                await self._rest(full=len(self._in_hand) == self._queue.at_once)
        except LeaseLost:
            return  # the worker that takes over frees the rows in hand
        finally:
            left = list(self._in_hand.values())
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    async def _take(self) -> tuple[Taken[Key], ...]:
        room = self._queue.at_once - len(self._in_hand)
        return await self._queue.take(room, tuple(self._in_hand)) if room else ()

    async def _rest(self, full: bool) -> None:
        """Waits until there is a reason to look again: free capacity, or else a wakeup event or the next poll."""
        if full:
            await asyncio.wait(self._in_hand.values(), return_when=asyncio.FIRST_COMPLETED)
        else:
            await self._wakeup.within(self._poll)

    async def _give_back(self) -> None:
        """Frees lost rows. Must not run while rows are being taken: those aren't in hand yet."""
        if (now := time.monotonic()) - self._gave_back >= GIVE_BACK_SECONDS:
            await self._queue.give_back(tuple(self._in_hand))
            self._gave_back = now

    def _let_go(self, key: Key, task: "asyncio.Task[float | None]") -> None:
        """Removes a finished row from those in hand and logs a failure, which its row has already. If the row could not
        be written, or this worker lost its lease, the row stays taken."""
        del self._in_hand[key]
        self._wakeup.notify()
        error = None if task.cancelled() else task.exception()
        if isinstance(error, LeaseLost | SQLAlchemyError):
            log.warning("%s %s is retried later: %s", self._queue.name, key, type(error).__name__)
        elif error is not None:
            log.error("%s %s failed", self._queue.name, key, exc_info=error)
