"""The workers of this database: each session of a worker has a row, until it ends or is declared dead."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Float,
    Select,
    String,
    Table,
    Update,
    and_,
    delete,
    exists,
    func,
    select,
    text,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database
from bot.store.locks import lock_key
from bot.store.tables import metadata

workers = Table(
    "workers",
    metadata,
    Column("worker", String(200), primary_key=True),
    Column("life", String(32), nullable=False),
    Column("beats", BigInteger, nullable=False),
    Column("began_at", Float, nullable=False),
)

# A suspended or disconnected process keeps its session, so the server has to end it. `pg_locks` splits a key into two
# halves.
_END_SESSION = text(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND ((classid::bigint << 32) | objid::bigint) = :key"
)


@dataclass(frozen=True)
class WorkerSession:
    """One session of a worker, which gets a new one after a restart. `beats` counts its heartbeats."""

    worker: str
    life: str
    beats: int = 0


class Workers:
    """All workers. Heartbeats are counted, not timestamped: each observer measures the silence with its own clock, so a
    clock that is wrong or jumps declares no worker dead. `now` returns Unix time in seconds, for display only."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._db = database
        self._now = now

    async def begin(self, worker: str) -> WorkerSession:
        """Begins a new session of the worker. A previous one that has not ended may write nothing more."""
        life = WorkerSession(worker, secrets.token_hex(8))
        async with self._db.write() as connection:
            await connection.execute(delete(workers).where(workers.c.worker == worker))
            await connection.execute(workers.insert().values(**vars(life), began_at=self._now()))
        return life

    async def all(self) -> tuple[WorkerSession, ...]:
        """Returns all sessions that count as alive."""
        async with self._db.read() as connection:
            return await live_sessions(connection)

    async def end(self, life: WorkerSession) -> None:
        """Ends the session."""
        async with self._db.write() as connection:
            await connection.execute(delete(workers).where(_is(life)))

    async def end_silent(self, life: WorkerSession) -> bool:
        """Ends the session unless it has sent a heartbeat meanwhile; returns whether it did. From then on no write of
        that session is accepted (see `session_is_alive`), and the locks that its database session holds are free."""
        async with self._db.write() as connection:
            deleted = await connection.execute(delete(workers).where(_is(life), workers.c.beats == life.beats))
            if deleted.rowcount:
                await connection.execute(_END_SESSION, {"key": name_key(life.worker)})
            return bool(deleted.rowcount)


async def live_sessions(connection: AsyncConnection) -> tuple[WorkerSession, ...]:
    """Returns all sessions that count as alive, in the caller's transaction."""
    rows = await connection.execute(select(workers.c.worker, workers.c.life, workers.c.beats))
    return tuple(WorkerSession(row.worker, row.life, row.beats) for row in rows)


def beat_of(life: WorkerSession) -> Update:
    """Statement that records a heartbeat; it changes no row if the session was declared dead."""
    return update(workers).where(_is(life)).values(beats=workers.c.beats + 1)


def session_is_alive(life: WorkerSession) -> ColumnElement[bool]:
    """Condition that the session counts as alive. Inside a write transaction it can't be ended before the commit."""
    return exists().where(_is(life))


def take_name(worker: str) -> Select[tuple[bool]]:
    """Statement that claims the name of a worker for this database session; false if another session holds it."""
    return select(func.pg_try_advisory_lock(name_key(worker)))


def name_key(worker: str) -> int:
    """Returns the key of the lock that a worker's database session holds as long as it lasts."""
    return lock_key(0, f"worker {worker}", 0)


def _is(life: WorkerSession) -> ColumnElement[bool]:
    return and_(workers.c.worker == life.worker, workers.c.life == life.life)
