"""Frees rows that workers have taken from a table: those of dead workers, and those that a live worker no longer
processes."""

from typing import Any

from sqlalchemy import ColumnElement, Table, select, update

from bot.store.database import Database
from bot.store.workers import workers


async def give_back(
    database: Database, table: Table, worker: str, held: ColumnElement[bool], in_hand: ColumnElement[bool], **free: Any
) -> int:
    """Frees those of the `held` rows that no worker works on: rows taken by `worker` that aren't `in_hand`, and rows of
    dead workers. `free` are further values to set on a freed row. Returns how many were freed."""
    lost = (table.c.taken_by == worker) & ~in_hand
    of_dead = (table.c.taken_by != worker) & table.c.taken_by.not_in(select(workers.c.worker))
    left = held & (lost | of_dead | table.c.taken_by.is_(None))
    first = select(table.c.taken_by).where(left).limit(1)
    if await database.look(lambda connection: connection.execute(first).first()) is None:
        return 0  # called every few seconds: avoid the write lock
    async with database.write() as connection:
        freed = await connection.execute(update(table).where(left).values(taken_by=None, **free))
        return int(freed.rowcount)
