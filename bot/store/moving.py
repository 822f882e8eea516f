"""Copies a store to another database: every table, row by row, all or nothing."""

from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, Integer, MetaData, Table, func, insert, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database
from handlers.errors import UserError

AT_ONCE = 500  # rows
_OF_THE_DATABASE = ("alembic_version", "workers", "beats")  # state of the database itself, which isn't copied


async def move(source: Database, target: Database) -> dict[str, int]:
    """Copies every row of `source` into `target`, in one transaction there; both must have the newest schema. Returns
    the number of rows by table. Raises UserError if the target is not empty, or if both don't have the same number of
    rows afterwards."""
    async with source.read() as old, target.write() as new:
        tables = await new.run_sync(_tables)
        here = {table.name: table for table in await old.run_sync(_tables)}
        if full := [table.name for table in tables if await _count(new, table)]:
            raise UserError(
                f"the target is not empty: there are rows in {', '.join(full)}. Name an empty database in DATABASE_URL"
            )
        for table in tables:
            async for rows in _read(old, here[table.name]):
                await new.execute(insert(table), rows)
            await _count_on(new, table)
        counts = {table.name: await _count(new, table) for table in tables}
        wrong = [name for name, count in counts.items() if count != await _count(old, here[name])]
        if wrong:
            raise UserError(f"not all rows of {', '.join(wrong)} arrived; is Heal still running on the old store?")
    return counts


def _tables(connection: Connection) -> list[Table]:
    """The tables to copy, in an order that satisfies foreign keys."""
    metadata = MetaData()
    metadata.reflect(connection)
    return [table for table in metadata.sorted_tables if table.name not in _OF_THE_DATABASE]


async def _count(connection: AsyncConnection, table: Table) -> int:
    return int((await connection.execute(select(func.count()).select_from(table))).scalar_one())


async def _read(connection: AsyncConnection, table: Table) -> AsyncIterator[list[dict[str, Any]]]:
    async with connection.stream(select(table).execution_options(yield_per=AT_ONCE)) as result:
        async for part in result.mappings().partitions():
            yield [{name: _plain(value) for name, value in row.items()} for row in part]


def _plain(value: object) -> object:
    """Replaces NUL characters, which PostgreSQL doesn't accept in texts."""
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(value, str) else value


async def _count_on(connection: AsyncConnection, table: Table) -> None:
    """Advances the table's sequences past the copied rows."""
    for column in table.primary_key.columns:
        if _counts(column) and connection.dialect.name == "postgresql":
            last = (await connection.execute(select(func.max(column)))).scalar()
            if last is not None:
                number = text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)")
                await connection.execute(number, {"table": table.name, "column": column.name, "last": last})


def _counts(column: Column[Any]) -> bool:
    """Whether the database generates this column's values from a sequence."""
    return isinstance(column.type, (BigInteger, Integer)) and "nextval" in str(
        getattr(column.server_default, "arg", "")
    )
