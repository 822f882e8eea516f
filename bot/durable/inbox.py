"""The durable inbox: deliveries are stored before they are acknowledged; a worker takes them from the store."""

from collections.abc import Callable

from bot.store.deliveries import Deliveries


class Inbox:
    """`now` returns Unix time in seconds. `notify` wakes the worker in this process, if there is one, so that it
    needn't poll."""

    def __init__(self, deliveries: Deliveries, now: Callable[[], float], notify: Callable[[], None] | None) -> None:
        self._deliveries = deliveries
        self._now = now
        self._notify = notify

    async def store(self, guid: str, event: str, body: bytes) -> bool:
        """Stores a delivery durably; returns False if it was seen before (see Deliveries.store)."""
        fresh = await self._deliveries.store(guid, event, body, self._now())
        if fresh and self._notify is not None:
            self._notify()
        return fresh
