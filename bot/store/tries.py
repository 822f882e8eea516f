"""Branches of CI trial runs: recorded before they are created and forgotten once deleted, so that none is left over."""

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
    """A branch for the run of (`sha`, `attempt`); `made_at` is Unix time in seconds."""

    repo_id: int
    branch: str
    full_name: str
    installation_id: int
    sha: str
    attempt: int
    made_at: float


class Tries:
    """Branches of all repositories."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._database = database
        self.now = now

    async def begin(self, row: TryRow) -> None:
        """Records the branch; must be called before the branch is created."""
        async with self._database.write() as connection:
            await connection.execute(insert_new(connection, tries, vars(row)))

    async def end(self, repo_id: int, branch: str) -> None:
        """Forgets the branch; must be called after the branch was deleted."""
        async with self._database.write() as connection:
            await connection.execute(delete(tries).where(tries.c.repo_id == repo_id, tries.c.branch == branch))

    async def since(self, repo_id: int, branch: str) -> float | None:
        """Returns since when the branch may exist (Unix, seconds); None if it isn't recorded."""
        query = select(tries.c.made_at).where(tries.c.repo_id == repo_id, tries.c.branch == branch)
        async with self._database.read() as connection:
            made_at: float | None = (await connection.execute(query)).scalar()
            return made_at

    async def all(self) -> tuple[TryRow, ...]:
        """Returns all recorded branches, oldest first."""
        async with self._database.read() as connection:
            rows = (await connection.execute(select(tries).order_by(tries.c.made_at))).mappings().all()
        return tuple(TryRow(**row) for row in rows)
