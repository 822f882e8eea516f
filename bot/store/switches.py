"""Switches: in which repositories Heal may offer fixes, and the operator's switch that stops it everywhere."""

from collections.abc import Callable

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    String,
    Table,
    Text,
    delete,
    select,
    update,
)

from bot.store.database import Database, insert_new
from bot.store.tables import metadata

switches = Table(
    "switches",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("offers", Boolean, nullable=False),
    Column("by", String(100), nullable=False),
    Column("switched_at", Float, nullable=False),
)

stops = Table(
    "stops",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("why", Text, nullable=False),
    Column("stopped_at", Float, nullable=False),
)
_THE_ONE = 1


class SwitchRows:
    """The switch of one repository. `now` returns Unix time in seconds; `starts_on`: whether fixes are offered until
    somebody has decided."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float], starts_on: bool) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now
        self._starts_on = starts_on

    async def switch(self, offers: bool, by: str) -> None:
        row = {"repo_id": self._repo_id, "offers": offers, "by": by[:100], "switched_at": self._now()}
        async with self._db.write() as connection:
            await connection.execute(insert_new(connection, switches, row))
            await connection.execute(update(switches).where(switches.c.repo_id == self._repo_id).values(**row))

    async def observing(self) -> bool:
        """See `handlers.model.Store`."""
        query = select(switches.c.offers).where(switches.c.repo_id == self._repo_id)
        async with self._db.read() as connection:
            offers: bool | None = (await connection.execute(query)).scalar()
        return not (self._starts_on if offers is None else offers)

    async def stopped(self) -> str | None:
        """See `handlers.model.Store`."""
        why = await Stop(self._db, self._now).why()
        if why is None:
            return None
        return f"the operator stopped Heal everywhere{f' ({why})' if why else ''}. `heal go` lets it go on."


class Stop:
    """The operator's stop switch: while it is set, nothing is posted, no model is called and no run begins; webhooks
    are still stored. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._db = database
        self._now = now

    async def set(self, why: str) -> None:
        """Stops Heal everywhere. A later reason replaces an earlier one."""
        row = {"id": _THE_ONE, "why": why[:500], "stopped_at": self._now()}
        async with self._db.write() as connection:
            await connection.execute(insert_new(connection, stops, row))
            await connection.execute(update(stops).values(**row))

    async def lift(self) -> None:
        """Lifts the stop, so that waiting work continues."""
        async with self._db.write() as connection:
            await connection.execute(delete(stops))

    async def why(self) -> str | None:
        """Returns the operator's reason while Heal is stopped (it may be empty); None if it is not stopped."""
        return await self._db.look(_why)


def _why(connection: Connection) -> str | None:
    reason: str | None = connection.execute(select(stops.c.why)).scalar()
    return reason
