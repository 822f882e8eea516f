"""Where Heal may offer fixes, and the one switch of the operator that stops it everywhere."""

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
    """Of one repository. `now` gives Unix time in seconds; `starts_on`: what holds where nobody has decided
    anything."""

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
        """See `ports.Store`."""
        query = select(switches.c.offers).where(switches.c.repo_id == self._repo_id)
        async with self._db.read() as connection:
            found: bool | None = (await connection.execute(query)).scalar()
        return not (self._starts_on if found is None else found)

    async def stopped(self) -> str | None:
        """See `ports.Store`."""
        why = await Stop(self._db, self._now).why()
        if why is None:
            return None
        return f"the operator stopped Heal everywhere{f' ({why})' if why else ''}. `heal go` lets it go on."


class Stop:
    """The operator's switch: while it is set, nothing is posted, no model is asked and no run begins; webhooks are
    still stored. `now` gives Unix time in seconds."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._db = database
        self._now = now

    async def set(self, why: str) -> None:
        """From now on everything stands still. The last reason counts."""
        row = {"id": _THE_ONE, "why": why[:500], "stopped_at": self._now()}
        async with self._db.write() as connection:
            await connection.execute(insert_new(connection, stops, row))
            await connection.execute(update(stops).values(**row))

    async def lift(self) -> None:
        """What waited goes on."""
        async with self._db.write() as connection:
            await connection.execute(delete(stops))

    async def why(self) -> str | None:
        """The operator's reason while Heal is stopped (it may be empty); None while it works."""
        return await self._db.look(_why)


def _why(connection: Connection) -> str | None:
    found: str | None = connection.execute(select(stops.c.why)).scalar()
    return found
