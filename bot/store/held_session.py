"""One database connection for a worker's whole lifetime; whatever its session holds is released when it breaks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Executable
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database

ANSWER_SECONDS = 10.0


class LeaseLost(Exception):
    """This process may no longer do anything that others can see: its session is over, or it counts as dead."""


class HeldSession:
    """Runs statements one after another, each in its own transaction, and to completion even if the caller was
    cancelled. Once broken it stays broken."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._turn = asyncio.Lock()
        self._under_way: set[asyncio.Task[Any]] = set()
        self._broken = ""

    async def ask(self, statement: Executable, **values: object) -> Any:
        """Returns the first value of the result. Raises LeaseLost."""
        return (await self._execute(statement, values)).scalar()

    async def change(self, statement: Executable) -> int:
        """Returns how many rows were changed. Raises LeaseLost."""
        return int((await self._execute(statement, {})).rowcount)

    async def close(self) -> None:
        """Waits for the statements that still run."""
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _execute(self, statement: Executable, values: dict[str, object]) -> Any:
        task = asyncio.ensure_future(self._in_turn(statement, values))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)

    async def _in_turn(self, statement: Executable, values: dict[str, object]) -> Any:
        async with self._turn:
            if self._broken:
                raise LeaseLost(self._broken)
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    return await self._connection.execute(statement, values)
            except (SQLAlchemyError, OSError, TimeoutError) as error:
                self._broken = f"the session with the database is over ({type(error).__name__})"
                raise LeaseLost(self._broken) from error


@asynccontextmanager
async def open_session(database: Database) -> AsyncIterator[HeldSession]:
    """Opens a session that ends with the `async with` block."""
    async with database.session() as connection:
        session = HeldSession(connection)
        try:
            yield session
        finally:
            await session.close()
