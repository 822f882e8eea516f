"""Sessions of signed-in users: one row each, found by the hash of its cookie, with sealed contents."""

import hashlib

from sqlalchemy import Column, Float, String, Table, Text, delete, select

from bot.store.database import Database, insert_new
from bot.store.tables import metadata

sessions = Table(
    "sessions",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("sealed", Text, nullable=False),
    Column("ends_at", Float, nullable=False),
)


class SessionRows:
    """Sessions by the value of their cookie; the value itself is never stored."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def open(self, cookie: str, sealed: str, ends_at: float, now: float) -> None:
        """Stores a session until `ends_at`, and deletes expired ones (Unix times in seconds)."""
        row = {"name": _name(cookie), "sealed": sealed, "ends_at": ends_at}
        async with self._db.write() as connection:
            await connection.execute(delete(sessions).where(sessions.c.ends_at <= now))
            await connection.execute(insert_new(connection, sessions, row))

    async def find(self, cookie: str, now: float) -> str | None:
        """Returns the sealed contents of a session that has not expired, or None."""
        query = select(sessions.c.sealed).where(sessions.c.name == _name(cookie), sessions.c.ends_at > now)
        async with self._db.read() as connection:
            sealed: str | None = (await connection.execute(query)).scalar()
            return sealed

    async def end(self, cookie: str) -> None:
        """Deletes the session, so that its cookie is no longer accepted."""
        async with self._db.write() as connection:
            await connection.execute(delete(sessions).where(sessions.c.name == _name(cookie)))


def _name(cookie: str) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()
