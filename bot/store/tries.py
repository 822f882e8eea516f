"""Branches that show trees to CI: noted before they are made, forgotten once they are gone, so that none is left."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import BigInteger, Column, Float, Integer, String, Table, delete, select

from bot.store.database import Database, insert_new
from bot.store.tables import metadata

tries = Table(
    "tries",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("branch", String(200), primary_key=True),
    Column("full_name", String(300), nullable=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("sha", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("made_at", Float, nullable=False),
)


@dataclass(frozen=True)
class TryRow:
    """A branch for the run of (`sha`, `attempt`); `made_at` in seconds since the Epoch."""

    repo_id: int
    branch: str
    full_name: str
    installation_id: int
    sha: str
    attempt: int
    made_at: float


class Tries:
    """All repositories' branches."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._database = database
        self.now = now

    async def begin(self, row: TryRow) -> None:
        """To be called before the branch is made."""
        async with self._database.write() as connection:
            await connection.execute(insert_new(connection, tries, vars(row)))

    async def end(self, repo_id: int, branch: str) -> None:
        """To be called when the branch is gone."""
        async with self._database.write() as connection:
            await connection.execute(delete(tries).where(tries.c.repo_id == repo_id, tries.c.branch == branch))

    async def since(self, repo_id: int, branch: str) -> float | None:
        """Since when the branch may be there (seconds since the Epoch); None where it is not."""
        query = select(tries.c.made_at).where(tries.c.repo_id == repo_id, tries.c.branch == branch)
        async with self._database.read() as connection:
            found: float | None = (await connection.execute(query)).scalar()
            return found

    async def all(self) -> tuple[TryRow, ...]:
        """Oldest first."""
        async with self._database.read() as connection:
            rows = (await connection.execute(select(tries).order_by(tries.c.made_at))).mappings().all()
        return tuple(TryRow(**row) for row in rows)
