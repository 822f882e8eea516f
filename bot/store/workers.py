"""Who works on this database: each life of a worker has a row, until it ends or is taken for dead."""

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

# A stopped or cut off process keeps its session, and the server waits for it. `pg_locks` has a key in two halves.
_END_SESSION = text(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND ((classid::bigint << 32) | objid::bigint) = :key"
)


@dataclass(frozen=True)
class Life:
    """One life of a worker: the same worker has another one after a restart. `beats` counts up while it lives."""

    worker: str
    life: str
    beats: int = 0


class Workers:
    """All workers. Beats are counted, not timed: who listens measures the silence on its own clock, so a clock that is
    wrong or jumps declares nobody dead. `now` gives Unix time in seconds, for people to read."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._db = database
        self._now = now

    async def begin(self, worker: str) -> Life:
        """A new life; the worker's last one, if it had not ended, may do nothing more."""
        life = Life(worker, secrets.token_hex(8))
        async with self._db.write() as connection:
            await connection.execute(delete(workers).where(workers.c.worker == worker))
            await connection.execute(workers.insert().values(**vars(life), began_at=self._now()))
        return life

    async def all(self) -> tuple[Life, ...]:
        """Everybody who is taken for living."""
        async with self._db.read() as connection:
            return await living(connection)

    async def end(self, life: Life) -> None:
        """That life is over: by itself, or because nothing was received from it any more."""
        async with self._db.write() as connection:
            await connection.execute(delete(workers).where(_is(life)))

    async def end_silent(self, life: Life) -> bool:
        """Ends it, unless it has beaten meanwhile. From then on no write of that life is taken (`lives`), and the locks
        that its session holds are free."""
        async with self._db.write() as connection:
            gone = await connection.execute(delete(workers).where(_is(life), workers.c.beats == life.beats))
            if gone.rowcount:
                await connection.execute(_END_SESSION, {"key": name_key(life.worker)})
            return bool(gone.rowcount)


async def living(connection: AsyncConnection) -> tuple[Life, ...]:
    """Everybody who is taken for living, in the caller's transaction."""
    rows = await connection.execute(select(workers.c.worker, workers.c.life, workers.c.beats))
    return tuple(Life(row.worker, row.life, row.beats) for row in rows)


def beat_of(life: Life) -> Update:
    """Says that it lives; changes no row where it is taken for dead."""
    return update(workers).where(_is(life)).values(beats=workers.c.beats + 1)


def lives(life: Life) -> ColumnElement[bool]:
    """Whether it is taken for living. Inside a write nobody can end it before that commits."""
    return exists().where(_is(life))


def take_name(worker: str) -> Select[tuple[bool]]:
    """Makes the name of a worker this session's own; false where another session has it."""
    return select(func.pg_try_advisory_lock(name_key(worker)))


def name_key(worker: str) -> int:
    """The lock that a worker's session holds as long as it lasts."""
    return lock_key(0, f"worker {worker}", 0)


def _is(life: Life) -> ColumnElement[bool]:
    return and_(workers.c.worker == life.worker, workers.c.life == life.life)
