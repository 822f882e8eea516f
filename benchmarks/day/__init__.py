"""A day of a busy organisation in simulated time: does anything of Heal grow that should not?

Repositories push to their pull requests (the columns say how many, and how often in an hour), CI fails, Heal fetches,
checks out, stores what checks print, offers fixes and hears everything that GitHub tells; now and then a pull request
is closed. Heal is a process of its own, on SQLite with its engine; its clock is set by the organisation's,
checks are not run (their results stand in), and everything else is real. It keeps things for `--keep` hours, so after
that nothing may grow any more: memory, open files, rows, databases, folders. Peer: none; a figure is compared with its
own after the window.
"""

import argparse
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from benchmarks.day.organisation import Organisation, organised
from benchmarks.shape import Bars, Goal, Result

SEED = 5
GROWTH = 1.1  # of a figure at the end over its largest soon after the window: noise, not growth
MEMORY = 1.15
WATCHED = ("memory", "resident", "open files", "rows", "databases", "stores", "bases", "worktrees", "bytes below data")


def configure(parser: argparse.ArgumentParser) -> None:
    """How long and how busy."""
    parser.add_argument("--hours", type=int, default=24, help="that are simulated")
    parser.add_argument("--keep", type=float, default=4.0, help="hours that Heal keeps things")
    parser.add_argument("--repositories", type=int, default=40)
    parser.add_argument("--pushes", type=int, default=12, help="an hour, each with red CI")


async def measure(options: argparse.Namespace) -> Result:
    """A row for each hour."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="heal-day-")))
        folder.chmod(0o711)
        organisation = await stack.enter_async_context(organised(folder, options.repositories, options.keep, SEED))
        hours = [await _hour(organisation, hour, options.pushes) for hour in range(1, options.hours + 1)]
    return result(hours, options)


async def _hour(organisation: Organisation, hour: int, pushes: int) -> dict[str, Any]:
    found = {"hour": hour, **await organisation.hour(pushes)}
    print(found, file=sys.stderr, flush=True)
    return found


def result(hours: list[dict[str, Any]], options: argparse.Namespace) -> Result:
    """Each watched figure at the end, over its largest in the hours soon after the window."""
    begin = min(int(options.keep) + 2, len(hours) - 1)
    goals = [Goal("hours", "24", len(hours), len(hours) >= 24)]
    for name in WATCHED:
        settled = max(hour[name] for hour in hours[begin : begin + 4])
        last = max(hour[name] for hour in hours[-3:])
        most = MEMORY if name in {"memory", "resident"} else GROWTH
        ratio = last / settled if settled else float(last > 0) * 2
        goals.append(Goal(f"{name}, at the end over after the window", f"≤ {most}", round(ratio, 2), ratio <= most))
    lost = hours[-1]["lost"]
    goals.append(Goal("pushes without a finished check run", "0", lost, lost == 0))
    size = {"repositories": options.repositories, "pushes": options.pushes}
    rows = [{key: value for key, value in (hour | size).items() if key != "largest"} for hour in hours]
    bars = tuple(Bars(f"{name}, hour by hour", ("hour",), name) for name in ("resident", "rows"))
    return Result("day", SEED, rows, goals, ("SQLAlchemy",), bars=bars, partly=len(hours) < 24)
