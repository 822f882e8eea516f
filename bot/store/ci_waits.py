"""Heads onto which a fix was committed or reverted, until their CI is known to have started."""

from collections.abc import Callable

from sqlalchemy import BigInteger, Column, Float, Integer, String, Table, delete, select

from bot.store.database import Database, insert_new
from bot.store.runs import place_of
from bot.store.tables import metadata
from handlers.model import CIWait
from healing.model import Frozen

ci_waits = Table(
    "ci_waits",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("sha", String(64), nullable=False),
    Column("made_at", Float, nullable=False),
)


class CIWaitRows:
    """CI waits of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def await_ci(self, wait: CIWait) -> None:
        """See `handlers.model.Store`."""
        fresh = {**wait.model_dump(), "repo_id": self._repo_id, "made_at": self._now()}
        older = (ci_waits.c.repo_id == self._repo_id) & (ci_waits.c.number == wait.number)
        async with self._db.write() as connection:
            await connection.execute(delete(ci_waits).where(older, ci_waits.c.sha != wait.sha))
            await connection.execute(insert_new(connection, ci_waits, fresh))

    async def forget_ci_wait(self, wait: CIWait) -> None:
        """See `handlers.model.Store`."""
        mine = (ci_waits.c.repo_id == self._repo_id) & (ci_waits.c.number == wait.number)
        async with self._db.write() as connection:
            await connection.execute(delete(ci_waits).where(mine, ci_waits.c.sha == wait.sha))


class DueCIWait(Frozen):
    """A head whose CI should have started by now, and its repository."""

    installation_id: int
    repo_id: int
    full_name: str
    wait: CIWait


async def due_ci_waits(database: Database, before: float) -> tuple[DueCIWait, ...]:
    """Returns the waits made before that time (Unix, seconds), of all repositories."""
    async with database.read() as connection:
        due = []
        for row in (await connection.execute(select(ci_waits).where(ci_waits.c.made_at <= before))).mappings().all():
            place = await place_of(connection, row["repo_id"])
            if place is not None:
                due.append(DueCIWait(**place, wait=CIWait(number=row["number"], sha=row["sha"])))
        return tuple(due)
