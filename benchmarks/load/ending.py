"""What came of the storm, counted in the store itself."""

import asyncio
import time
from dataclasses import dataclass

from sqlalchemy import text

from benchmarks.load.storm import Storm
from bot.settings import Settings
from bot.store.database import Database

AGAIN = 2.0  # seconds between looks
COUNTS = {
    "open": "SELECT count(*) FROM deliveries WHERE state NOT IN ('done', 'failed')",
    "unfinished": "SELECT count(*) FROM runs WHERE state IN ('gathering', 'running')",
    "done": "SELECT count(*) FROM deliveries WHERE state = 'done'",
    "failures": "SELECT count(*) FROM failures",
    "attempts": "SELECT count(*) FROM runs",
    "runs": "SELECT count(DISTINCT sha) FROM runs",
}


@dataclass(frozen=True)
class Ending:
    """How many are missing, too many, or still open."""

    deliveries_lost: int
    failures_lost: int
    runs_off: int
    left: int
    attempts: int


async def ended(url: str, made: Storm, poll_policy: float) -> Ending:
    """Waits until every delivery and every run is over, at most so many seconds."""
    database = await Database.open(Settings(database_url=url).store_url)
    try:
        until = time.monotonic() + poll_policy
        counts = await _counts(database)
        while (counts["open"] or counts["unfinished"]) and time.monotonic() < until:
            await asyncio.sleep(AGAIN)
            counts = await _counts(database)
    finally:
        await database.close()
    return Ending(
        deliveries_lost=len(made.guids) - counts["done"] - counts["open"],
        failures_lost=sum(made.checks.values()) - counts["failures"],
        runs_off=abs(counts["runs"] - len(made.checks)),
        left=counts["open"] + counts["unfinished"],
        attempts=counts["attempts"],
    )


async def _counts(database: Database) -> dict[str, int]:
    async with database.read() as connection:
        return {name: int((await connection.execute(text(query))).scalar_one()) for name, query in COUNTS.items()}
