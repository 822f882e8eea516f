"""The App that `/setup` registered: at most one row, sealed."""

from sqlalchemy import Column, Float, Integer, Table, Text, select

from bot.store.database import Database, insert_new
from bot.store.tables import metadata

registered_app = Table(
    "registered_app",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("sealed", Text, nullable=False),
    Column("made_at", Float, nullable=False),
)
_ONE = 1


async def load_app(database: Database) -> str | None:
    """What was sealed; None while no App was registered."""
    async with database.read() as connection:
        found: str | None = (await connection.execute(select(registered_app.c.sealed))).scalar()
        return found


async def save_app(database: Database, sealed: str, now: float) -> bool:
    """Keeps the App. False where there is one already: the first stays."""
    row = {"id": _ONE, "sealed": sealed, "made_at": now}
    async with database.write() as connection:
        return bool((await connection.execute(insert_new(connection, registered_app, row))).rowcount)


async def reseal_app(database: Database, sealed: str) -> None:
    """The same App under a newer key."""
    async with database.write() as connection:
        await connection.execute(registered_app.update().values(sealed=sealed))
