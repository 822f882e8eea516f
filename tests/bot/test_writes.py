"""A write in one go: all of it or nothing, in turn with everybody else who writes."""

import asyncio

import pytest
from sqlalchemy import Connection, func, select

from bot.store.counters import Count, add, add_at_once, counted, counters
from bot.store.database import Database
from bot.store.metric_names import RECEIVED


async def deliveries_counted(database: Database) -> float:
    return sum((await counted(database)).get(RECEIVED.name, {}).values())


# IN-2, OP-3
async def test_a_write_that_fails_has_written_nothing(database: Database) -> None:
    def half(connection: Connection) -> None:
        add_at_once(connection, [Count(RECEIVED, ("push",))])
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        await database.run_transaction(half)
    assert await deliveries_counted(database) == 0
    assert (
        await database.run_transaction(lambda connection: connection.scalar(select(func.count()).select_from(counters)))
        == 0
    )


# IN-2
async def test_all_kinds_of_writes_take_turns_and_none_is_lost(database: Database) -> None:
    async def usual() -> None:
        async with database.write() as connection:
            await add(connection, [Count(RECEIVED, ("push",))])
            await asyncio.sleep(0)

    async def cluster_task() -> None:
        await database.run_transaction(lambda connection: add_at_once(connection, [Count(RECEIVED, ("push",))]))

    await asyncio.gather(*(act() for _ in range(40) for act in (usual, cluster_task)))
    assert await deliveries_counted(database) == 80
