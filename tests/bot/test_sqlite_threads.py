"""Cancelled in the middle of anything, SQLite's threads end before the event loop does."""

import asyncio
import random
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.store.database import Database

SLOW = text("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT count(*) FROM n")


@pytest.mark.parametrize("seed", range(30))
def test_reads_cancelled_twice_leave_no_thread_behind_and_the_loop_ends(tmp_path: Path, seed: int) -> None:
    chance, before = random.Random(seed), set(threading.enumerate())
    asyncio.run(_cancelled_in_the_middle(tmp_path / "heal.db", chance))
    # Each thread has answered its last question; what is left of it is its way out.
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=60)
        assert not thread.is_alive(), f"{thread.name} never ends"


async def _cancelled_in_the_middle(file: Path, chance: random.Random) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{file}")

    async def read() -> None:
        async with database.read() as connection:
            await connection.execute(SLOW)

    reads = [asyncio.ensure_future(read()) for _ in range(4)]
    await asyncio.sleep(chance.random() / 100)
    for _ in range(2):
        for task in reads:
            task.cancel()
        await asyncio.sleep(0)
    await asyncio.gather(*reads, return_exceptions=True)
    await database.close()
