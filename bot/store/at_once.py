"""A whole transaction in one go: with SQLite each statement that is awaited goes to another thread and back."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection, Engine

Answer = TypeVar("Answer")


class AtOnce:
    """A thread of its own with a connection of its own; both are begun with the first transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="heal-store")

    async def run(self, act: Callable[[Connection], Answer]) -> Answer:
        """What `act` gives, once it is durable. Raises what it raises; then nothing was written. Who is cancelled
        meanwhile doesn't hear what became of it."""
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
