"""Has the work of dead workers done by living ones: anyone who has been silent for too long is taken for dead, and the
rows that it had taken are free again (`bot.store.taken`)."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError

from bot.lease import BEATS, Lease, uptime
from bot.store.held_session import LeaseLost
from bot.store.workers import Life, Workers

log = logging.getLogger("heal.taking_over")


@dataclass
class TakeOver:
    """What one worker notices of the others. `clock` is this machine's own: nobody's time of day matters."""

    workers: Workers
    lease: Lease
    clock: Callable[[], float] = uptime
    _seen_beats: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)  # by life: beats, since when

    async def look(self) -> tuple[str, ...]:
        """Ends the lives that were silent for the lease's limit. Gives the names of the dead. Raises SQLAlchemyError,
        LeaseLost."""
        dead = [life for life in await self.workers.all() if self._silent(life) > self.lease.limit]
        ended = [life.worker for life in dead if await self.workers.end_silent(life)]
        for worker in ended:
            log.warning("%s has been silent for %.0f s; its work is taken over", worker, self.lease.limit)
        return tuple(ended)

    def _silent(self, life: Life) -> float:
        """Seconds since its beats changed, as far as this worker knows."""
        key, now = (life.worker, life.life), self.clock()
        beats, since = self._seen_beats.get(key, (-1, now))
        if beats != life.beats:
            since = now
        self._seen_beats[key] = (life.beats, since)
        return now - since

    async def again_and_again(self) -> None:
        """Looks until it is cancelled."""
        while True:
            await asyncio.sleep(self.lease.limit / BEATS)
            try:
                await self.look()
            except (SQLAlchemyError, LeaseLost) as error:
                log.warning("could not search for silent workers: %s", error)


@asynccontextmanager
async def taking_over(take_over: TakeOver) -> AsyncIterator[None]:
    """Looks beside what is done inside."""
    task = asyncio.create_task(take_over.again_and_again())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
