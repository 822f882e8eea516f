"""Works off stored deliveries: the row is inbox and outbox, so handling one again after a crash is all there is to it.

A delivery costs no workflow of the durable engine: what must survive is in its row, and in what handlers write.
"""

import asyncio
import logging
import time
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from bot.durable.news import Wakeup
from bot.durable.retry import with_retry
from bot.durable.work import Work
from bot.store.deliveries import Taken
from bot.store.held_session import LeaseLost

AT_ONCE = 16  # deliveries of one worker
MOST_TIMES = 21  # that a delivery is begun: by then it has waited for an hour, or has ended the process each time
BREATH_SECONDS = 0.05  # between taking and taking: what comes meanwhile is taken together
LOOK_BACK_SECONDS = 5.0  # between looks for what was taken and is in nobody's hands

log = logging.getLogger("heal.inbox")


class InboxWorker:
    """One worker's ear. `poll`: seconds between looks for what other processes stored."""

    def __init__(self, work: Work, worker: str, poll: float) -> None:
        self._work = work
        self._worker = worker
        self._poll = poll
        self._hands: dict[str, asyncio.Task[None]] = {}  # by guid
        self._wakeup = Wakeup()
        self._looked_back = float("-inf")

    def notify(self) -> None:
        """Something was stored in this process."""
        self._wakeup.notify()

    async def again_and_again(self) -> None:
        """Until it is cancelled, or this worker may work no longer."""
        try:
            while True:
                self._wakeup.read()
                await with_retry(self._look_back)
                found = await with_retry(self._take)
                for taken in found:
                    self._hands[taken.guid] = asyncio.create_task(self._handle(taken))
                    self._hands[taken.guid].add_done_callback(partial(self._let_go, taken.guid))
                if found:
                    await asyncio.sleep(BREATH_SECONDS)
                await self._rest(full=len(self._hands) == AT_ONCE)
        except LeaseLost:
            return  # whoever takes over gives back what is in these hands
        finally:
            left = list(self._hands.values())
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    async def _take(self) -> tuple[Taken, ...]:
        room = AT_ONCE - len(self._hands)
        return await self._work.take(self._worker, room) if room else ()

    async def _rest(self, full: bool) -> None:
        """Until there is a reason to look again: room in the hands, else news."""
        if full:
            await asyncio.wait(self._hands.values(), return_when=asyncio.FIRST_COMPLETED)
        else:
            await self._wakeup.within(self._poll)

    async def _look_back(self) -> None:
        """Never while something is being taken: that is in no hands yet."""
        if (now := time.monotonic()) - self._looked_back >= LOOK_BACK_SECONDS:
            await self._work.deliveries.give_back(self._worker, tuple(self._hands))
            self._looked_back = now

    async def _handle(self, taken: Taken) -> None:
        """What goes wrong is in the delivery's row, and raised. Where not even that could be written, or this worker
        lost its right, the row stays taken, and is given back."""
        try:
            wait = await self._work.delivery(taken.guid, taken.begun - 1)
            if wait is not None and taken.begun < MOST_TIMES:
                await self._work.put_off(taken.guid, wait)
            elif wait is not None:
                log.error("delivery %s was begun %d times; it is given up", taken.guid, taken.begun)
                await self._work.no_delivery(taken.guid)
        except (LeaseLost, SQLAlchemyError) as error:
            log.warning("delivery %s is retried later: %s", taken.guid, type(error).__name__)

    def _let_go(self, guid: str, task: "asyncio.Task[None]") -> None:
        del self._hands[guid]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("delivery %s failed", guid, exc_info=error)
