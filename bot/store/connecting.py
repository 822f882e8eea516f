"""Connections that are awaited, statement by statement. Loaded with the first of them: that takes a tenth of a second,
and a local check needs none."""

import asyncio
from dataclasses import dataclass
from typing import Any

import aiosqlite
from sqlalchemy import Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.store.sqlite import tame

_WRITERS = 0x57726974  # "Writ": names the lock on PostgreSQL

# A process that is stopped in the middle of a transaction must not keep everybody else waiting for its locks.
IDLE_SECONDS = 20
# Both ends find out within half a minute that the other one has vanished, and connections that a restart has closed are
# not used again.
ON_A_NETWORK: dict[str, Any] = {
    "pool_pre_ping": True,
    "connect_args": {
        "connect_timeout": 10,
        "client_encoding": "utf8",  # whatever the database was made with: else its texts may come as bytes
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 25_000,
        "options": "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
        f" -c idle_in_transaction_session_timeout={IDLE_SECONDS}s",
    },
}


# The threads in which aiosqlite runs statements end before the event loop they answer to. A task that is cancelled
# while its connection opens, runs a statement or closes leaves that thread at work. Where the loop is closed before
# the thread answers, the answer fails in the thread; where the thread is asked to end twice, whoever waits for the
# second ending waits for ever, and so does the loop's own end.
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


@dataclass(frozen=True)
class Awaited:
    """An engine, and the threads that SQLite's connections run in."""

    engine: AsyncEngine
    threads: SqliteThreads

    async def close(self) -> None:
        """Closes what is open, and waits for each thread's end."""
        await self.engine.dispose()
        await self.threads.end()


def connect(url: str) -> Awaited:
    """The engine of `url`, an async SQLAlchemy address; it connects when it is first used."""
    threads = SqliteThreads()
    if url.startswith("sqlite"):
        engine = create_async_engine(url, connect_args={"async_creator_fn": threads.open})
        tame(engine.sync_engine)
    else:
        engine = create_async_engine(url, **ON_A_NETWORK)
        _one_writer(engine)
    return Awaited(engine, threads)


def _one_writer(engine: AsyncEngine) -> None:
    """PostgreSQL's writers go one after another, as SQLite's do: the code that reads and then writes needs it."""

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("heal_write", False):
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITERS})")
