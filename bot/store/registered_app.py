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
    """Returns the sealed App; None if no App was registered."""
    async with database.read() as connection:
        sealed: str | None = (await connection.execute(select(registered_app.c.sealed))).scalar()
        return sealed


async def save_app(database: Database, sealed: str, now: float) -> bool:
    """Saves the App. Returns False if there is one already, which is kept."""
    row = {"id": _ONE, "sealed": sealed, "made_at": now}
    async with database.write() as connection:
        return bool((await connection.execute(insert_new(connection, registered_app, row))).rowcount)


async def reseal_app(database: Database, sealed: str) -> None:
    """Replaces the sealed App, after it was sealed again with a newer key."""
    async with database.write() as connection:
        await connection.execute(registered_app.update().values(sealed=sealed))
