"""Heal's own database: one engine, migrated at start, read and written in short transactions."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
from sqlalchemy import Connection, Engine, create_engine, event, inspect
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.store.at_once import AtOnce
from bot.store.write_lock import WriteLock
from handlers.errors import UserError

_MIGRATIONS = Path(__file__).parent / "migrations"
_WRITERS = 0x57726974  # "Writ": names the lock on PostgreSQL

# A process that is stopped in the middle of a transaction must not keep everybody else waiting for its locks.
IDLE_SECONDS = 20
# Both ends find out within half a minute that the other one has vanished, and connections that a restart has closed are
# not used again.
_ON_A_NETWORK: dict[str, Any] = {
    "pool_pre_ping": True,
    "connect_args": {
        "connect_timeout": 10,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 25_000,
        "options": "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
        f" -c idle_in_transaction_session_timeout={IDLE_SECONDS}s",
    },
}

Guard = Callable[[AsyncConnection], Awaitable[None]]
Answer = TypeVar("Answer")


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


class Database:
    """`read()` and `write()` give a connection inside one transaction each; a write takes the one lock for writers
    first, so that reading and then writing in it is atomic. `guard`, where one is set, is asked in each write whether
    this process may still write."""

    def __init__(self, engine: AsyncEngine, threads: SqliteThreads) -> None:
        self._engine = engine
        self._threads = threads
        self._writer = engine.execution_options(heal_write=True)
        self._write_lock = WriteLock() if engine.dialect.name == "sqlite" else None
        self._at_once = AtOnce(_plainly(engine, heal_write=True)) if engine.dialect.name == "sqlite" else None
        self._looking = AtOnce(_plainly(engine)) if engine.dialect.name == "sqlite" else None
        self.guard: Guard | None = None

    @classmethod
    async def open(cls, url: str) -> "Database":
        """Connects to `url` (an async SQLAlchemy address), makes the file's folder, and runs the migrations.
        Raises UserError where the store is newer than this Heal."""
        if url.startswith("sqlite"):
            await asyncio.to_thread(_private_file, Path(url.split(":///", 1)[1]))
        threads = SqliteThreads()
        local = {"connect_args": {"async_creator_fn": threads.open}}
        engine = create_async_engine(url, **(local if url.startswith("sqlite") else _ON_A_NETWORK))
        if engine.dialect.name == "sqlite":
            _tame_sqlite(engine.sync_engine)
        else:
            _one_writer(engine)
        database = cls(engine, threads)
        async with AsyncExitStack() as closing:
            closing.push_async_callback(database.close)
            async with database.write() as connection:
                await connection.run_sync(migrate)
            closing.pop_all()
        return database

    def read(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._engine.begin()

    @asynccontextmanager
    async def write(self, first: bool = False) -> AsyncIterator[AsyncConnection]:
        """`first`: before others who wait to write, for what somebody's answer waits for. Raises what the guard raises,
        before anything is written."""
        lock = nullcontext() if self._write_lock is None else self._write_lock.held(first)
        async with lock, self._writer.begin() as connection:
            if self.guard is not None:
                await self.guard(connection)
            yield connection

    async def at_once(self, act: Callable[[Connection], Answer], first: bool = False) -> Answer:
        """A write of statements alone, which takes a fraction of the time of `write` with SQLite. `first`: as there."""
        if self._write_lock is None or self._at_once is None or self.guard is not None:
            async with self.write(first) as connection:
                return await connection.run_sync(act)
        async with self._write_lock.held(first):
            return await self._at_once.run(act)

    async def look(self, act: Callable[[Connection], Answer]) -> Answer:
        """A short read of statements alone, which takes a fraction of the time of `read` with SQLite."""
        if self._looking is not None:
            return await self._looking.run(act)
        async with self.read() as connection:
            return await connection.run_sync(act)

    async def on_a_row(self, act: Callable[[Connection], Answer]) -> Answer:
        """A write to rows that `act` locks first (`with_for_update`): on a server it waits for nobody but whoever has
        the same ones. No guard is asked."""
        if self._at_once is not None:
            return await self.at_once(act)
        async with self._engine.begin() as connection:
            return await connection.run_sync(act)

    def session(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection of one's own without transactions: what its session holds lasts as long as it is open."""
        return self._engine.execution_options(isolation_level="AUTOCOMMIT").connect()

    @property
    def is_server(self) -> bool:
        """Whether several processes on several machines may work on it."""
        return self._engine.dialect.name == "postgresql"

    async def close(self) -> None:
        for threads in (self._at_once, self._looking):
            if threads is not None:
                threads.close()  # each waits for its own thread alone
        await self._engine.dispose()
        await self._threads.end()


def _private_file(path: Path) -> None:
    """Makes the database's file for its owner alone: others may pass through its folder to the worktrees. SQLite gives
    its side files the same mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)


def migrate(connection: Connection) -> None:
    """Brings the schema to the newest version, inside the caller's transaction. Raises UserError where it is newer."""
    found = _version(connection)
    if found == newest_version():
        return  # without Alembic: it is slow to load, and every local command comes by here
    if found is not None and found > newest_version():
        raise UserError(
            f"The store's schema is {found}, and this Heal knows {newest_version()}: a newer one used it. "
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
    found: str | None = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return found


def newest_version() -> str:
    """The last migration's number: its file's name begins with it."""
    return max(file.name.partition("_")[0] for file in (_MIGRATIONS / "versions").glob("[0-9]*_*.py"))


def insert_new(connection: AsyncConnection | Connection, table: Any, values: Mapping[str, object]) -> Any:
    """An INSERT that does nothing where the primary or a unique key is taken already."""
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert as sqlite_insert

        return sqlite_insert(table).values(**values).on_conflict_do_nothing()
    from sqlalchemy.dialects.postgresql import insert as postgres_insert

    return postgres_insert(table).values(**values).on_conflict_do_nothing()


def _one_writer(engine: AsyncEngine) -> None:
    """PostgreSQL's writers go one after another, as SQLite's do: the code that reads and then writes needs it."""

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("heal_write", False):
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITERS})")


def _plainly(engine: AsyncEngine, **options: bool) -> Engine:
    """The same file without a thread for each statement."""
    made = create_engine(engine.url.set(drivername="sqlite"))
    _tame_sqlite(made)
    return made.execution_options(**options)


def _tame_sqlite(engine: Engine) -> None:
    """WAL, waiting instead of failing, and transactions that SQLAlchemy begins, not the driver."""

    @event.listens_for(engine, "connect")
    def _connected(dbapi_connection: Any, _record: object) -> None:
        dbapi_connection.isolation_level = None
        cursor = dbapi_connection.cursor()
        # Pages that gather (16 MB) until they are moved into the file, which whoever writes next waits for.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "foreign_keys=ON",
                       "wal_autocheckpoint=4000"):  # fmt: skip
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("heal_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
