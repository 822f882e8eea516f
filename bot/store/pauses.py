"""Pull requests on which Heal was paused."""

from collections.abc import Callable

from sqlalchemy import BigInteger, Column, Float, Integer, String, Table, delete, select

from bot.store.database import Database, insert_new
from bot.store.tables import metadata

pauses = Table(
    "pauses",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("by", String(100), nullable=False),
    Column("paused_at", Float, nullable=False),
)


class PauseRows:
    """Paused pull requests of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def pause(self, number: int, by: str) -> None:
        row = {"repo_id": self._repo_id, "number": number, "by": by[:100], "paused_at": self._now()}
        async with self._db.write() as connection:
            await connection.execute(insert_new(connection, pauses, row))

    async def resume(self, number: int) -> None:
        mine = (pauses.c.repo_id == self._repo_id) & (pauses.c.number == number)
        async with self._db.write() as connection:
            await connection.execute(delete(pauses).where(mine))

    async def paused_by(self, number: int) -> str | None:
        """See `handlers.model.Store`."""
        query = select(pauses.c.by).where(pauses.c.repo_id == self._repo_id, pauses.c.number == number)
        async with self._db.read() as connection:
            by: str | None = (await connection.execute(query)).scalar()
            return by
