"""The durable inbox: deliveries are stored, then handed to the engine; the row is the outbox (IN-2)."""

from collections.abc import Callable
from typing import Protocol

from bot.store.deliveries import Deliveries


class Engine(Protocol):
    """Who does the work of a delivery, once for each try, soon and durably."""

    async def delivery(self, guid: str, tries: int) -> None: ...


class Inbox:
    """`now` gives Unix time in seconds. Without an engine what is stored waits for the worker's sweep."""

    def __init__(self, deliveries: Deliveries, engine: Engine | None, now: Callable[[], float]) -> None:
        self._deliveries = deliveries
        self._engine = engine
        self._now = now

    async def store(self, guid: str, event: str, body: bytes) -> bool:
        """Durably; False if it was seen before (see Deliveries.store)."""
        return await self._deliveries.store(guid, event, body, self._now())

    async def hand_over(self, guid: str) -> None:
        """Gives one stored delivery to the engine. Doing it twice starts it once."""
        if self._engine is None:
            return
        row = await self._deliveries.get(guid)
        if row is not None and row.state == "stored":
            await self._engine.delivery(guid, row.tries)
            await self._deliveries.queued(guid)

    async def sweep(self, at_start: bool = False) -> int:
        """Hands over what was stored and not handed over; at start also what the engine should have already, in case
        that its database is younger than ours. Gives how many."""
        assert self._engine is not None, "only a process that works sweeps"
        rows = await self._deliveries.waiting("stored", *(("queued",) if at_start else ()))
        for row in rows:
            await self._engine.delivery(row.guid, row.tries)
            await self._deliveries.queued(row.guid)
        return len(rows)
