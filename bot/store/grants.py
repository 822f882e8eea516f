"""The permissions that each installation grants the App, as GitHub last reported them; used to report missing ones."""

import json
from collections.abc import Mapping

from sqlalchemy import BigInteger, Column, Float, String, Table, Text, delete, select

from bot.store.database import Database
from bot.store.tables import metadata
from healing.model import Frozen

installation_grants = Table(
    "installation_grants",
    metadata,
    Column("installation_id", BigInteger, primary_key=True, autoincrement=False),
    Column("account", String(100), nullable=False),
    Column("permissions", Text, nullable=False),
    Column("seen_at", Float, nullable=False),
)


class Grant(Frozen):
    """The permissions granted by one installation; `seen_at` is Unix time in seconds."""

    installation_id: int
    account: str
    permissions: dict[str, str]
    seen_at: float


async def save_grant(
    database: Database, installation_id: int, account: str, permissions: Mapping[str, str], now: float
) -> None:
    """Saves an installation's permissions, replacing earlier ones."""
    row = {"installation_id": installation_id, "account": account[:100], "seen_at": now}
    row["permissions"] = json.dumps(dict(permissions), sort_keys=True)
    mine = installation_grants.c.installation_id == installation_id
    async with database.write() as connection:
        await connection.execute(delete(installation_grants).where(mine))
        await connection.execute(installation_grants.insert().values(**row))


async def forget_grant(database: Database, installation_id: int) -> None:
    """Deletes the permissions of a removed installation."""
    async with database.write() as connection:
        mine = installation_grants.c.installation_id == installation_id
        await connection.execute(delete(installation_grants).where(mine))


async def grants(database: Database) -> tuple[Grant, ...]:
    """Returns the grants of all known installations."""
    query = select(installation_grants).order_by(installation_grants.c.account)
    async with database.read() as connection:
        rows = (await connection.execute(query)).mappings().all()
    return tuple(Grant(**{**row, "permissions": json.loads(row["permissions"])}) for row in rows)
