"""The threads in which aiosqlite runs statements end before the event loop they answer to.

A task that is cancelled while its connection opens, runs a statement or closes leaves that thread at work. Where the
loop is closed before the thread answers, the answer fails in the thread; where the thread is asked to end twice,
whoever waits for the second ending waits for ever, and so does the loop's own end.
"""

import asyncio
from typing import Any

import aiosqlite


class SqliteThreads:
    """Every connection that `open` made and that has not ended."""

    def __init__(self) -> None:
        self._alive: set[_EndsOnce] = set()

    def open(self, *args: Any, **options: Any) -> aiosqlite.Connection:
        """`aiosqlite.connect` for SQLAlchemy's `async_creator_fn`: it passes on what its dialect asks for."""
        # aiosqlite.connect builds the base class; what it was given to open the file with is all that is needed of it.
        plain = aiosqlite.connect(*args, **options)
        made = _EndsOnce(plain._connector, plain._iter_chunk_size, self._alive)
        made._thread.daemon = True  # as SQLAlchemy sets it: a process must be able to end without asking its threads
        self._alive.add(made)
        return made

    async def end(self) -> None:
        """Waits for the statements that still run, and for each thread's end."""
        for connection in list(self._alive):
            await connection.close()


class _EndsOnce(aiosqlite.Connection):
    """A connection whose thread is asked to end once, and whose end everybody may wait for."""

    def __init__(self, connector: Any, chunk: int, alive: "set[_EndsOnce]") -> None:
        super().__init__(connector, chunk)
        self._alive = alive
        self._ending: list[asyncio.Future[Any] | None] = []

    def stop(self) -> "asyncio.Future[Any] | None":
        if not self._ending:
            ending = super().stop()
            self._ending.append(ending)
            if ending is None:  # no loop to tell, as when it is collected after the loop's end
                self._alive.discard(self)
            else:
                ending.add_done_callback(lambda _: self._alive.discard(self))
        return self._ending[0]

    async def close(self) -> None:
        ending = self.stop()
        if ending is not None:
            await asyncio.shield(ending)
