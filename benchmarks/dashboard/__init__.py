"""The dashboard with 100,000 runs stored: how long pages take, and how much memory the process needs.

200 repositories share the runs unevenly, as repositories do: the busiest has a fifth of them. One person sees all, one
only the five quietest. Pages are asked for over HTTP's own machinery, one after another, on SQLite in a fresh process.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from benchmarks.dashboard.filling import RUNS, fill
from benchmarks.shape import Bars, Goal, Result

SEED = 17
SLOWEST, MAX_MEGABYTES = 150.0, 120.0


def configure(parser: ArgumentParser) -> None:
    """How many runs are stored."""
    parser.add_argument("--runs", type=int, default=RUNS, help="how many runs are stored")


async def measure(chosen: Namespace) -> Result:
    """Milliseconds of each kind of page, and megabytes."""
    with tempfile.TemporaryDirectory(prefix="heal-benchmark-") as folder:
        await fill(Path(folder), SEED, chosen.runs)
        argv = [sys.executable, "-m", "benchmarks.dashboard.asking", folder]
        done = await asyncio.to_thread(subprocess.run, argv, capture_output=True, text=True, check=True)
    reported = json.loads(done.stdout)
    slowest = max(row["p95 ms"] for row in reported["pages"])
    goals = [
        Goal(f"p95 of every page with {chosen.runs:,} runs, ms", f"<= {SLOWEST:g}", slowest, slowest <= SLOWEST),
        Goal(
            "memory of the idle web process, MB",
            f"<= {MAX_MEGABYTES:g}",
            reported["idle MB"],
            reported["idle MB"] <= MAX_MEGABYTES,
        ),
    ]
    summary = {"idle MB": reported["idle MB"], "MB after all pages": reported["after MB"]}
    bars = (Bars("p95 of a page, ms", ("page", "person"), "p95 ms"),)
    return Result("dashboard", SEED, reported["pages"], goals, ("starlette", "sqlalchemy", "jinja2"), summary, bars)
