"""Who writes to SQLite next: those who hold up an answer first, then the others, each in their order.

SQLite itself lets writers wait by sleeping and looking again, whoever looks first: a storm starves some of them.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class WriteLock:
    """A lock with two queues, each first in, first out."""

    def __init__(self) -> None:
        self._taken = False
        self._first: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def held(self, first: bool = False) -> AsyncIterator[None]:
        """Held inside."""
        if self._taken:
            await self._wait(self._first if first else self._others)
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, queue: "deque[asyncio.Future[None]]") -> None:
        mine = asyncio.get_running_loop().create_future()
        queue.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._pass_on()  # it had just become ours
            raise

    def _pass_on(self) -> None:
        """To the next who still waits; taken all the while, so that nobody gets in between."""
        for queue in (self._first, self._others):
            while queue:
                following = queue.popleft()
                if not following.done():
                    following.set_result(None)
                    return
        self._taken = False
