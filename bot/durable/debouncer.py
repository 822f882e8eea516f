"""Ends gatherings when it is time, and lets the runs begin whose turn it is: both are rows, looked at by every worker.

Whatever is missed, by a crash or by another worker, the next look finds.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from bot.durable.news import Wakeup
from bot.durable.retry import with_retry
from bot.durable.work import Work
from bot.store.held_session import LeaseLost
from bot.store.turns import Turn

_POLL_SECONDS = 2.0  # seconds between looks if nobody tells of anything
_SHARE = 20  # looking for what is complete may take this part of the time

Start = Callable[[tuple[Turn, ...]], Awaitable[None]]


class Debouncer:
    """One worker's look at all of them. `start` has runs healed, each once however often it is notified; `poll` is the
    least time between two looks, in seconds."""

    def __init__(self, work: Work, start: Start, poll: float) -> None:
        self._work = work
        self._start = start
        self._poll = poll
        self._wakeup = Wakeup()
        self._next_look = float("-inf")

    def notify(self) -> None:
        """A failure came, checks have settled, or a run is over."""
        self._wakeup.notify()

    async def again_and_again(self) -> None:
        """Until it is cancelled, or this worker may work no longer."""
        try:
            while True:
                self._wakeup.read()
                await with_retry(self.look)
                await asyncio.sleep(self._poll)
                await self._wakeup.within(_POLL_SECONDS)
        except LeaseLost:
            return

    async def look(self) -> None:
        """Ends what is complete, and starts whose turn it is. Raises SQLAlchemyError, LeaseLost."""
        if (began := time.monotonic()) >= self._next_look:
            found = await self._work.gathered()
            self._next_look = began + min(_SHARE * (time.monotonic() - began), _POLL_SECONDS)
            for ref in found:
                await self._work.gather(ref)
        if await self._work.turns.waiting():
            await self._start(await self._work.begin_turns())
