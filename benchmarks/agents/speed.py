"""How much faster many agents are than one, and what Heal itself takes of each step of an agent."""

import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.agents.stage import LINT, clusters_of, shift
from bot.store.database import Database
from bot.store.steps import StoredSteps
from tests.engine.bench import Bench
from tests.model_standin.replies import Body

CLUSTERS, CAUSES = 8, 2
AGENTS = (1, 2, 4, 8)
SILENT = 0.25  # of the latency: what a call takes that asks for no output, the warm-up of the cache
REPEATS = 5


async def speed_up(bench: Bench, latency: float) -> dict[int, float]:
    """Wall seconds of the same 8 clusters with 1, 2, 4 and 8 agents; each reply takes `latency` seconds to come."""

    async def before(body: Body, _number: int) -> None:
        await asyncio.sleep(latency if body["max_tokens"] else latency * SILENT)

    seconds = {}
    for agents in AGENTS:
        clusters, errors = clusters_of((LINT,) * CLUSTERS, CAUSES)
        seconds[agents] = (await shift(bench, clusters, errors, at_once=agents, before=before)).seconds
    return seconds


def speed_rows(seconds: dict[int, float]) -> list[dict[str, Any]]:
    """What each number of agents gained on one agent."""
    return [
        {
            "measured": f"{CLUSTERS} clusters, {agents} agent{'s' * (agents > 1)} at once",
            "errors": CLUSTERS * CAUSES,
            "seconds": round(wall, 2),
            "of the ideal": round(seconds[1] / wall / agents, 3),
        }
        for agents, wall in seconds.items()
    ]


async def overhead(bench: Bench) -> tuple[float, float]:
    """Milliseconds of one agent's step, the median of some runs: Heal's own (loop, tools, worktree, durable steps in a
    real database), and the call itself (SDK, HTTP and the stand-in's own work)."""
    own, asking = [], []
    for number in range(REPEATS):
        clusters, errors = clusters_of((LINT,), 4)
        with tempfile.TemporaryDirectory() as folder:
            database = await Database.open(f"sqlite+aiosqlite:///{Path(folder, 'heal.db')}")
            try:
                steps = StoredSteps(database, 1, f"run-{number}", time.time)
                one = await shift(bench, clusters, errors, steps=steps)
            finally:
                await database.close()
        own.append(1000 * (one.seconds - one.asking) / one.spending.calls)
        asking.append(1000 * one.asking / one.spending.calls)
    return median(own), median(asking)
