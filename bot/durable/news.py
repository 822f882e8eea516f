"""Tells a loop that looks for work that there is some, so that it need not look so often."""

import asyncio


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
