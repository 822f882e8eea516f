"""Async connections, on which each statement is awaited. Imported with the first of them: the import takes a tenth of
a second, and a local check needs none."""

import asyncio
from dataclasses import dataclass
from typing import Any

import aiosqlite
from sqlalchemy import Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.store.sqlite import configure_engine

_WRITERS = 0x57726974  # "Writ": names the lock on PostgreSQL

# A process that is stopped in the middle of a transaction must not block all others with its locks.
IDLE_SECONDS = 20
# Client and server detect within half a minute that the other end is gone, and connections closed by a restart are not
# reused.
ON_A_NETWORK: dict[str, Any] = {
    "pool_pre_ping": True,
    "connect_args": {
        "connect_timeout": 10,
        "client_encoding": "utf8",  # for a database of any encoding: otherwise texts may arrive as bytes
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 25_000,
        "options": "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
        f" -c idle_in_transaction_session_timeout={IDLE_SECONDS}s",
    },
}


# The threads in which aiosqlite runs statements must end before the event loop to which they report. A task that is
# cancelled while its connection opens, runs a statement or closes leaves that thread running. If the loop is closed
# before the thread reports its result, reporting fails in the thread; if the thread is stopped twice, waiting for the
# second stop never ends, and neither does closing the loop.
class SqliteThreads:
    """All connections made by `open` that have not ended yet."""

    def __init__(self) -> None:
        self._alive: set[_EndsOnce] = set()

    def open(self, *args: Any, **options: Any) -> aiosqlite.Connection:
        """`aiosqlite.connect` for SQLAlchemy's `async_creator_fn`, with the dialect's arguments passed on."""
        # aiosqlite.connect builds the base class; only its connector and chunk size are needed.
        plain = aiosqlite.connect(*args, **options)
        connection = _EndsOnce(plain._connector, plain._iter_chunk_size, self._alive)
        connection._thread.daemon = True  # as SQLAlchemy does: the process must be able to exit without its threads
        self._alive.add(connection)
        return connection

    async def end(self) -> None:
        """Waits for statements that still run, and for each thread to end."""
        for connection in list(self._alive):
            await connection.close()


class _EndsOnce(aiosqlite.Connection):
    """A connection whose thread is stopped only once, and whose end any number of tasks may await."""

    def __init__(self, connector: Any, chunk: int, alive: "set[_EndsOnce]") -> None:
        super().__init__(connector, chunk)
        self._alive = alive
        self._ending: list[asyncio.Future[Any] | None] = []

    def stop(self) -> "asyncio.Future[Any] | None":
        if not self._ending:
            ending = super().stop()
            self._ending.append(ending)
            if ending is None:  # there is no running loop, as when it is garbage-collected after the loop's end
                self._alive.discard(self)
            else:
                ending.add_done_callback(lambda _: self._alive.discard(self))
        return self._ending[0]

    async def close(self) -> None:
        ending = self.stop()
        if ending is not None:
            await asyncio.shield(ending)


@dataclass(frozen=True)
class Awaited:
    """An engine, and the threads in which SQLite's connections run."""

    engine: AsyncEngine
    threads: SqliteThreads

    async def close(self) -> None:
        """Closes open connections and waits for each thread to end."""
        await self.engine.dispose()
        await self.threads.end()


def connect(url: str) -> Awaited:
    """Creates the engine of `url`, an async SQLAlchemy URL; it connects when it is first used."""
    threads = SqliteThreads()
    if url.startswith("sqlite"):
        engine = create_async_engine(url, connect_args={"async_creator_fn": threads.open})
        configure_engine(engine.sync_engine)
    else:
        engine = create_async_engine(url, **ON_A_NETWORK)
        _one_writer(engine)
    return Awaited(engine, threads)


def _one_writer(engine: AsyncEngine) -> None:
    """Serializes PostgreSQL's writers, as SQLite does: code that reads and then writes relies on it."""

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("heal_write", False):
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITERS})")
