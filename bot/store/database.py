"""Heal's database: one engine, migrated at start, read and written in short transactions."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, inspect, make_url

from bot.store.sqlite import plain_engine, private_file
from bot.store.writer_thread import WriterThread
from handlers.errors import UserError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from bot.store.connecting import Awaited

_MIGRATIONS = Path(__file__).parent / "migrations"

Guard = Callable[["AsyncConnection"], Awaitable[None]]
Answer = TypeVar("Answer")


class WriteLock:
    """Decides who writes to SQLite next: writers on which a response depends, then the others, each first in, first
    out. SQLite itself lets writers sleep and poll in no order, which starves some of them under load."""

    def __init__(self) -> None:
        self._taken = False
        self._first: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def held(self, first: bool = False) -> AsyncIterator[None]:
        """Holds the lock inside the `async with` block. `first`: before writers that wait without it."""
        if self._taken:
            await self._wait(self._first if first else self._others)
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, queue: "deque[asyncio.Future[None]]") -> None:
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._pass_on()  # the lock had just been passed to this task
            raise

    def _pass_on(self) -> None:
        """Passes the lock to the next waiting writer. It stays taken meanwhile, so that no other writer gets it."""
        for queue in (self._first, self._others):
            while queue:
                waiter = queue.popleft()
                if not waiter.done():
                    waiter.set_result(None)
                    return
        self._taken = False


class Database:
    """`read()` and `write()` yield a connection inside one transaction each. A write takes the single writer lock
    first, so that reading and then writing in it is atomic. `guard`, if set, is called in each write and raises where
    this process may no longer write."""

    def __init__(self, url: str) -> None:
        address = make_url(url)
        local = address.get_backend_name() == "sqlite"
        self._url = url
        self._write_lock = WriteLock() if local else None
        self._writer = WriterThread(plain_engine(address, heal_write=True)) if local else None
        self._reader = WriterThread(plain_engine(address)) if local else None
        self._awaited: Awaited | None = None
        self.guard: Guard | None = None

    @classmethod
    async def open(cls, url: str) -> "Database":
        """Connects to `url` (an async SQLAlchemy URL), creates the file's folder, and runs the migrations.
        Raises UserError if the store's schema is newer than this Heal."""
        if url.startswith("sqlite"):
            await asyncio.to_thread(private_file, Path(url.split(":///", 1)[1]))
        database = cls(url)
        async with AsyncExitStack() as closing:
            closing.push_async_callback(database.close)
            await database.run_transaction(migrate)
            closing.pop_all()
        return database

    async def __aenter__(self) -> "Database":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def _engine(self) -> "AsyncEngine":
        if self._awaited is None:
            from bot.store.connecting import connect

            self._awaited = connect(self._url)
        return self._awaited.engine

    def read(self) -> "AbstractAsyncContextManager[AsyncConnection]":
        return self._engine.begin()

    @asynccontextmanager
    async def write(self, first: bool = False) -> "AsyncIterator[AsyncConnection]":
        """Yields a connection in a write transaction. `first`: ahead of other waiting writers, for writes on which a
        response depends. Raises what the guard raises, before anything is written."""
        lock = nullcontext() if self._write_lock is None else self._write_lock.held(first)
        async with lock, self._engine.execution_options(heal_write=True).begin() as connection:
            if self.guard is not None:
                await self.guard(connection)
            yield connection

    async def run_transaction(self, act: Callable[[Connection], Answer], first: bool = False) -> Answer:
        """A write without awaits between its statements, which takes a fraction of the time of `write` with SQLite.
        `first`: as there."""
        if self._write_lock is None or self._writer is None or self.guard is not None:
            async with self.write(first) as connection:
                return await connection.run_sync(act)
        async with self._write_lock.held(first):
            return await self._writer.run(act)

    async def look(self, act: Callable[[Connection], Answer]) -> Answer:
        """A short read without awaits between its statements, which takes a fraction of the time of `read` with
        SQLite."""
        if self._reader is not None:
            return await self._reader.run(act)
        async with self.read() as connection:
            return await connection.run_sync(act)

    async def on_a_row(self, act: Callable[[Connection], Answer]) -> Answer:
        """A write to rows that `act` locks first (`with_for_update`): on a server it waits only for transactions that
        hold the same rows. The guard is not called."""
        if self._writer is not None:
            return await self.run_transaction(act)
        async with self._engine.begin() as connection:
            return await connection.run_sync(act)

    def session(self) -> "AbstractAsyncContextManager[AsyncConnection]":
        """A dedicated connection in autocommit mode: what its session holds lasts as long as it is open."""
        return self._engine.execution_options(isolation_level="AUTOCOMMIT").connect()

    @property
    def is_server(self) -> bool:
        """Whether processes on several machines may use the database."""
        return self._write_lock is None

    async def close(self) -> None:
        for threads in (self._writer, self._reader):
            if threads is not None:
                threads.close()  # waits for its own thread only
        if self._awaited is not None:
            await self._awaited.close()


def migrate(connection: Connection) -> None:
    """Upgrades the schema to the newest version, inside the caller's transaction. Raises UserError if it is newer than
    this Heal."""
    version = _version(connection)
    if version == newest_version():
        return  # without importing Alembic, which is slow: every local command runs this
    if version is not None and version > newest_version():
        raise UserError(
            f"The store's schema is {version}, and this Heal knows {newest_version()}: a newer one used it. "
            "Install that version again, or restore the store's back-up from before the upgrade"
        )

    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return version


def newest_version() -> str:
    """Returns the number of the last migration, with which its file name begins."""
    return max(file.name.partition("_")[0] for file in (_MIGRATIONS / "versions").glob("[0-9]*_*.py"))


def insert_new(connection: "AsyncConnection | Connection", table: Any, values: Mapping[str, object]) -> Any:
    """Returns an INSERT that does nothing if a row with the same primary or unique key exists."""
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert as sqlite_insert

        return sqlite_insert(table).values(**values).on_conflict_do_nothing()
    from sqlalchemy.dialects.postgresql import insert as postgres_insert

    return postgres_insert(table).values(**values).on_conflict_do_nothing()
