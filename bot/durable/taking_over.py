"""Takes over the work of dead workers: a worker without a heartbeat for too long is declared dead, and the rows that it
had taken are freed (see `bot.store.taken`)."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError

from bot.lease import BEATS, Lease, uptime
from bot.store.held_session import LeaseLost
from bot.store.workers import Workers, WorkerSession

log = logging.getLogger("heal.taking_over")


@dataclass
class SilentWorkerWatch:
    """One worker's watch over the others. `clock` is this machine's monotonic clock: no machine's time of day
    matters."""

    workers: Workers
    lease: Lease
    clock: Callable[[], float] = uptime
    _seen_beats: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)  # by session: beats, since when

    async def look(self) -> tuple[str, ...]:
        """Ends the sessions of workers that were silent longer than the lease's limit. Returns the names of those
        workers. Raises SQLAlchemyError and LeaseLost."""
        dead = [life for life in await self.workers.all() if self._silent(life) > self.lease.limit]
        ended = [life.worker for life in dead if await self.workers.end_silent(life)]
        for worker in ended:
            log.warning("%s has been silent for %.0f s; its work is taken over", worker, self.lease.limit)
        return tuple(ended)

    def _silent(self, life: WorkerSession) -> float:
        """Seconds since this worker saw the session's beats change."""
        key, now = (life.worker, life.life), self.clock()
        beats, since = self._seen_beats.get(key, (-1, now))
        if beats != life.beats:
            since = now
        self._seen_beats[key] = (life.beats, since)
        return now - since

    async def run_forever(self) -> None:
        """Calls `look` regularly until cancelled."""
        while True:
            await asyncio.sleep(self.lease.limit / BEATS)
            try:
                await self.look()
            except (SQLAlchemyError, LeaseLost) as error:
                log.warning("could not search for silent workers: %s", error)


@asynccontextmanager
async def taking_over(take_over: SilentWorkerWatch) -> AsyncIterator[None]:
    """Runs `take_over` in the background while inside the `async with` block."""
    task = asyncio.create_task(take_over.run_forever())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
