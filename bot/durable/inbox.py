"""The durable inbox: deliveries are stored, then handed to the engine; the row is the outbox (IN-2)."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from bot.store.deliveries import Deliveries

TOGETHER = 100  # deliveries that are noted as handed over in one transaction


class Engine(Protocol):
    """Who does the work of a delivery, once for each try, soon and durably."""

    async def delivery(self, guid: str, tries: int) -> None: ...


class Inbox:
    """`now` gives Unix time in seconds. Without an engine what is stored waits for the worker's sweep."""

    def __init__(self, deliveries: Deliveries, engine: Engine | None, now: Callable[[], float]) -> None:
        self._deliveries = deliveries
        self._engine = engine
        self._now = now
        self._news = asyncio.Event()

    async def store(self, guid: str, event: str, body: bytes) -> bool:
        """Durably; False if it was seen before (see Deliveries.store)."""
        fresh = await self._deliveries.store(guid, event, body, self._now())
        if fresh:
            self._news.set()
        return fresh

    async def news(self) -> None:
        """Waits until something was stored in this process. Nobody's answer waits for what is done then: handing over
        takes the engine's own transactions."""
        await self._news.wait()
        self._news.clear()

    async def sweep(self, at_start: bool = False) -> int:
        """Hands over what was stored and not handed over; at start also what the engine should have already, in case
        that its database is younger than ours. Doing it twice starts it once. Gives how many."""
        assert self._engine is not None, "only a process that works sweeps"
        rows = await self._deliveries.waiting("stored", *(("queued",) if at_start else ()))
        for at in range(0, len(rows), TOGETHER):
            some = rows[at : at + TOGETHER]
            for row in some:
                await self._engine.delivery(row.guid, row.tries)
            await self._deliveries.queued(*(row.guid for row in some))
        return len(rows)
