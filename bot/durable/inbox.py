"""The durable inbox: deliveries are stored before they are answered; a worker finds them there."""

from collections.abc import Callable

from bot.store.deliveries import Deliveries


class Inbox:
    """`now` gives Unix time in seconds. `notify` tells whoever works in this process, so that it need not look."""

    def __init__(self, deliveries: Deliveries, now: Callable[[], float], notify: Callable[[], None] | None) -> None:
        self._deliveries = deliveries
        self._now = now
        self._notify = notify

    async def store(self, guid: str, event: str, body: bytes) -> bool:
        """Durably; False if it was seen before (see Deliveries.store)."""
        fresh = await self._deliveries.store(guid, event, body, self._now())
        if fresh and self._notify is not None:
            self._notify()
        return fresh
