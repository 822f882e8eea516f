"""Heal's open fixup pull requests, until they are merged, closed or outdated."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import BigInteger, Column, Float, Integer, String, Table, delete, select, update

from bot.store.database import Database, insert_new
from bot.store.runs import place_of
from bot.store.tables import metadata
from handlers.model import Fixup
from healing.model import Frozen

fixups = Table(
    "fixups",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("target", Integer, nullable=False),
    Column("branch", String(255), nullable=False),
    Column("head_sha", String(64), nullable=False),
    Column("state", String(12), nullable=False),
    Column("made_at", Float, nullable=False),
)
_LIFE = ("number", "target", "branch", "head_sha", "state")


class FixupRows:
    """Fixup pull requests of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def save_fixup(self, fixup: Fixup) -> None:
        """See `handlers.model.Store`."""
        row = fixup.model_dump()
        fresh = {**row, "repo_id": self._repo_id, "made_at": self._now()}
        known = (fixups.c.repo_id == self._repo_id) & (fixups.c.number == fixup.number)
        moved = update(fixups).where(known, fixups.c.head_sha != fixup.head_sha).values(made_at=self._now())
        async with self._db.write() as connection:
            if (await connection.execute(insert_new(connection, fixups, fresh))).rowcount == 0:
                await connection.execute(moved)
                await connection.execute(update(fixups).where(known).values(**row))

    async def fixups(self) -> tuple[Fixup, ...]:
        """See `handlers.model.Store`."""
        query = select(fixups).where(fixups.c.repo_id == self._repo_id).order_by(fixups.c.number)
        async with self._db.read() as connection:
            return tuple(_fixup(row) for row in (await connection.execute(query)).mappings())

    async def forget_fixup(self, number: int) -> None:
        async with self._db.write() as connection:
            mine = (fixups.c.repo_id == self._repo_id) & (fixups.c.number == number)
            await connection.execute(delete(fixups).where(mine))


def _fixup(row: Any) -> Fixup:
    return Fixup(**{key: row[key] for key in _LIFE})


class UntestedFixup(Frozen):
    """A fixup pull request whose CI reported nothing in time, and its repository."""

    installation_id: int
    repo_id: int
    full_name: str
    fixup: Fixup


async def untested_fixups(database: Database, before: float) -> tuple[UntestedFixup, ...]:
    """Returns fixup pull requests of all repositories made before that time (Unix, seconds) and still `new`."""
    query = select(fixups).where(fixups.c.state == "new", fixups.c.made_at <= before)
    async with database.read() as connection:
        lonely = []
        for row in (await connection.execute(query)).mappings().all():
            place = await place_of(connection, row["repo_id"])
            if place is not None:
                lonely.append(UntestedFixup(**place, fixup=_fixup(row)))
        return tuple(lonely)
