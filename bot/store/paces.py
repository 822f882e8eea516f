"""The request pace of an installation, shared by all workers: `bot.github.pace.WriteLog` on the database."""

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Integer,
    Select,
    String,
    Table,
    Text,
    literal,
    literal_column,
    select,
)

from bot.github.pace import State
from bot.store.database import Database, insert_new
from bot.store.tables import metadata

paces = Table(
    "paces",
    metadata,
    Column("installation_id", BigInteger, primary_key=True, autoincrement=False),
    Column("next_write", Float, nullable=False),
    Column("closed_until", Float, nullable=False),
    Column("strikes", Integer, nullable=False),
    Column("writer", String(200), nullable=False),
    Column("writer_until", Float, nullable=False),
    Column("content", Text, nullable=False),  # JSON: times
)

Answer = TypeVar("Answer")
_SERVER_TIME = literal_column("CAST(extract(epoch FROM clock_timestamp()) AS double precision)", Float)


class StoredWriteLog:
    """The pace of one installation. On PostgreSQL times are the server's, so that machines with different clocks keep
    one pace; with SQLite all processes are on this machine, and `now` returns Unix time in seconds."""

    def __init__(self, database: Database, installation_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._now = now
        self._id = installation_id

    async def read(self) -> tuple[State, float]:
        async with self._db.read() as connection:
            row = (await connection.execute(self._query())).mappings().first()
        return (State(), 0.0) if row is None else _entry(row)

    async def change(self, act: Callable[[State, float], Answer]) -> Answer:
        return await self._db.on_a_row(lambda connection: self._change(connection, act))

    def _change(self, connection: Connection, act: Callable[[State, float], Answer]) -> Answer:
        locked = self._query().with_for_update(of=paces)
        row = connection.execute(locked).mappings().first()
        if row is None:
            connection.execute(insert_new(connection, paces, {"installation_id": self._id, **_row(State())}))
            row = connection.execute(locked).mappings().one()
        state, now = _entry(row)
        answer = act(state, now)
        connection.execute(paces.update().where(paces.c.installation_id == self._id).values(**_row(state)))
        return answer

    def _query(self) -> Select[Any]:
        now = _SERVER_TIME if self._db.is_server else literal(self._now())
        return select(paces, now.label("now")).where(paces.c.installation_id == self._id)


def _entry(row: Any) -> tuple[State, float]:
    known = {field.name: row[field.name] for field in fields(State)}
    return State(**known | {"content": json.loads(row["content"])}), float(row["now"])


def _row(state: State) -> dict[str, object]:
    return asdict(state) | {"content": json.dumps(state.content)}
