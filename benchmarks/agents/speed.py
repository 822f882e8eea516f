"""How much faster many agents are than one, and what Heal itself takes of each step of an agent."""

import asyncio
import tempfile
import time
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.agents.stage import LINT, Shift, clusters_of, shift
from bot.store.database import Database
from bot.store.steps import StoredSteps
from tests.model_standin.replies import Body
from tests.pipeline.bench import Bench

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


@dataclass(frozen=True)
class Step:
    """Milliseconds of one agent's step: Heal's `own` (loop, tools, worktree, durable steps in a real database), and the
    call itself (SDK, HTTP and the stand-in's own work), each by the wall and, `busy`, on the processor alone."""

    own: float
    own_busy: float
    asking: float
    asking_busy: float

    @classmethod
    def of(cls, one: Shift) -> "Step":
        """A shift of one agent, by its calls."""
        each = 1000 / one.spending.calls
        return cls(
            each * (one.seconds - one.asking),
            each * (one.busy - one.busy_asking),
            each * one.asking,
            each * one.busy_asking,
        )


async def overhead(bench: Bench) -> Step:
    """The medians of some runs."""
    steps = []
    for number in range(REPEATS):
        clusters, errors = clusters_of((LINT,), 4)
        with tempfile.TemporaryDirectory() as folder:
            database = await Database.open(f"sqlite+aiosqlite:///{Path(folder, 'heal.db')}")
            try:
                stored = StoredSteps(database, 1, f"run-{number}", time.time)
                steps.append(Step.of(await shift(bench, clusters, errors, steps=stored)))
            finally:
                await database.close()
    return Step(*(median(values) for values in zip(*map(astuple, steps), strict=True)))
