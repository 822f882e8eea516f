"""Rows that workers take from a table: what a dead worker had, or a living one has lost sight of, is free again."""

from typing import Any

from sqlalchemy import ColumnElement, Table, select, update

from bot.store.database import Database
from bot.store.workers import workers


async def give_back(
    database: Database, table: Table, worker: str, held: ColumnElement[bool], in_hand: ColumnElement[bool], **free: Any
) -> int:
    """Frees, of the rows that are `held`, those that nobody is at work on: `worker` itself, unless the row is one
    `in_hand`, or a worker that doesn't live. `free` are the other values that a free row has. Gives how many."""
    lost = (table.c.taken_by == worker) & ~in_hand
    of_dead = (table.c.taken_by != worker) & table.c.taken_by.not_in(select(workers.c.worker))
    left = held & (lost | of_dead | table.c.taken_by.is_(None))
    found = select(table.c.taken_by).where(left).limit(1)
    if await database.look(lambda connection: connection.execute(found).first()) is None:
        return 0  # it is asked every few seconds
    async with database.write() as connection:
        back = await connection.execute(update(table).where(left).values(taken_by=None, **free))
        return int(back.rowcount)
