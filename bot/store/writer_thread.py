"""Runs a whole transaction in one hop to another thread: with aiosqlite every awaited statement is a hop of its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection, Engine

Answer = TypeVar("Answer")


class WriterThread:
    """A dedicated thread with a dedicated connection; both start with the first transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="heal-store")

    async def run(self, act: Callable[[Connection], Answer]) -> Answer:
        """Returns what `act` returns, after the commit. Raises what `act` raises; then nothing was written. A caller
        that is cancelled while waiting doesn't learn whether the transaction was committed."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._act, act)

    def _act(self, act: Callable[[Connection], Answer]) -> Answer:
        if self._connection is None:
            self._connection = self._engine.connect()
        with self._connection.begin():
            return act(self._connection)

    def close(self) -> None:
        self._thread.shutdown()
        if self._connection is not None:
            self._connection.close()
        self._engine.dispose()
