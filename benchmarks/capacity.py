"""How far it goes: workers, database writes and GitHub calls for 100, 10,000 and 1,000,000 repositories.

A plan, not a measurement of a million repositories: what one run costs is measured here (the demo's pull request on
the local GitHub; PostgreSQL with many writers at once). How often they come is assumed: 40 deliveries and 0.8 red runs
a day of a repository that people work on, 15 % of them in the busiest hour. That hour is simulated run by run, for as
many workers as it takes that 95 of 100 runs begin within a minute. Peer: none.
"""

import asyncio
import contextlib
import heapq
import io
import math
import random
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.shape import Bars, Goal, Result
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from lab.demo.stage import stage_in
from lab.demo.story import heal_is_done
from lab.localhub.scene import open_broken_pull

SEED = 9
SCALES = (100, 10_000, 1_000_000)
DELIVERIES_A_DAY, RUNS_A_DAY = 40.0, 0.8  # of one repository that people work on
PEAK = 0.15  # of a day's work comes in its busiest hour
REPOS_OF_AN_INSTALLATION = 20
SLOTS = 2  # runs that a worker heals at once (HEAL_RUNS_AT_ONCE)
MAX_WAIT = 60.0  # seconds until a run begins, for 95 of 100
MAX_RUNS = 40_000  # that are simulated; a longer peak is cut to its last minutes
WRITERS, WRITES = 16, 1_500
CALLS_AN_HOUR = 5_000  # GitHub's least limit for an installation
FULL = 0.7  # of a limit: more than that is none's plan
WRITES_OF_ALL, CALLS_OF_ONE = "one PostgreSQL's writes", "an installation's calls"
LIFTS = {
    WRITES_OF_ALL: "Heals of their own for parts of the installations: so many databases",
    CALLS_OF_ONE: "several Apps, each for a part of the installation's repositories",
}


@dataclass(frozen=True)
class Costs:
    """What was measured: of one run its seconds on a worker, calls to GitHub and database writes; and how many writes a
    second one PostgreSQL takes."""

    seconds: float
    calls: int
    writes: int
    writes_a_second: float


async def measure() -> Result:
    """A row for each scale, and one for the costs."""
    costs = await _costs()
    rows: list[dict[str, Any]] = [_row(scale, costs) for scale in SCALES]
    reported = {"repositories": "one run costs", "seconds of a worker": round(costs.seconds, 1)}
    rows.append({**reported, "GitHub calls": costs.calls, "database rows": costs.writes})
    rows.append({"repositories": "one PostgreSQL takes", "database writes/s": round(costs.writes_a_second)})
    goals = [Goal("workers for 100 repositories", "<= 1", rows[0]["workers"], rows[0]["workers"] <= 1)]
    bars = (Bars("Workers in the busiest hour", ("repositories",), "workers"),)
    return Result("capacity", SEED, rows, goals, ("sqlalchemy",), bars=bars)


def _row(repositories: int, costs: Costs) -> dict[str, Any]:
    deliveries, runs = (repositories * a_day * PEAK / 3600 for a_day in (DELIVERIES_A_DAY, RUNS_A_DAY))
    writes = runs * costs.writes + deliveries * 3  # a delivery is stored, handed over and done
    calls = REPOS_OF_AN_INSTALLATION * RUNS_A_DAY * PEAK * costs.calls
    shares = {
        WRITES_OF_ALL: writes / costs.writes_a_second,
        CALLS_OF_ONE: calls / CALLS_AN_HOUR,
    }
    first = max(shares, key=lambda name: shares[name])
    parts = math.ceil(shares[first] / FULL)
    return {
        "repositories": repositories,
        "deliveries/s": round(deliveries, 2),
        "runs/s": round(runs, 3),
        "workers": math.ceil(_slots(runs, costs.seconds) / SLOTS),
        "database writes/s": round(writes, 1),
        "of one PostgreSQL": round(shares[WRITES_OF_ALL], 3),
        "calls/h of an installation": round(calls),
        "of its limit": round(shares[CALLS_OF_ONE], 3),
        "first limit": first if shares[first] > 1 else "none",
        "what lifts it": f"{LIFTS[first]} ({parts})" if shares[first] > 1 else "–",
    }


def _slots(rate: float, seconds: float) -> int:
    """The least number of runs at once with which 95 of 100 begin in time, simulated; `rate` is runs a second."""
    least = max(1, math.ceil(rate * seconds))
    slots = least
    while _late(rate, seconds, slots) > 0.05:
        slots = max(slots + 1, math.ceil(slots * 1.02))
    return slots


def _late(rate: float, seconds: float, slots: int) -> float:
    """The share of runs that begin too late. They come by chance; some take five times as long as others."""
    chance = random.Random(SEED)
    runs = min(int(rate * 3600), MAX_RUNS)
    if runs == 0:
        return 0.0
    free = [0.0] * slots
    now, late = 0.0, 0
    for _ in range(runs):
        now += chance.expovariate(rate)
        begins = max(now, free[0])
        late += begins - now > MAX_WAIT
        heapq.heapreplace(free, begins + chance.lognormvariate(math.log(seconds) - 0.32, 0.8))
    return late / runs


async def _costs() -> Costs:
    async with stage_in() as story:
        pull = open_broken_pull(story.scene)
        await story.runner.wait()
        await story.hub.settled()
        began, before = time.monotonic(), len(story.github.log)
        with contextlib.redirect_stdout(io.StringIO()):
            await heal_is_done(story, pull.head_sha)
        seconds = time.monotonic() - began
        calls = sum(seen.path.startswith("/api/") for seen in story.github.log[before:])
        rows = _rows(story.data / "heal.db")
    return Costs(seconds, calls, rows, await _writes_a_second())


def _rows(store: Path) -> int:
    """Rows in all tables: what the run wrote down, one transaction each as a rule."""
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return sum(int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]) for name in tables)


async def _writes_a_second() -> float:
    """Deliveries that are noted as done, one transaction each, by several writers at once."""
    from tests.bot.postgres import postgres

    with postgres() as url:
        database = await Database.open(url.replace("postgresql://", "postgresql+psycopg://"))
        deliveries = Deliveries(database)
        began = time.monotonic()

        async def write(number: int) -> None:
            for at in range(WRITES // WRITERS):
                await deliveries.done(f"{number}-{at}")

        await asyncio.gather(*(write(number) for number in range(WRITERS)))
        took = time.monotonic() - began
        await database.close()
    return WRITES / took
