"""The sandbox: how much longer a command takes to start in each back end than as a plain subprocess, and how many
attempts to escape were made and succeeded.

Peer: the same command (`true`) by the same `healing.process.shell.run`, without a sandbox, in the same run; all take
turns.
What a start costs the processors is told too: a machine that is busy with other things stretches the clock, not that.
"""

import asyncio
import os
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from benchmarks.shape import Goal, Result
from healing.process.owner import hand_over, sandbox_owner
from healing.process.shell import Completed, run
from healing.sandbox.job import Job
from healing.sandbox.probe import Choice, probe

ROUNDS = 60
MAX_MILLISECONDS = 15.0
BACK_ENDS: tuple[Choice, ...] = ("bubblewrap", "landlock")
PLAIN = "plain subprocess (peer)"


async def measure() -> Result:
    """Milliseconds at the median and at the ninetieth per cent, and the attempts."""
    result = Result("sandbox", seed=0)
    data = Path(tempfile.mkdtemp(prefix="heal-benchmark-"))
    data.chmod(0o755)
    try:
        times = await _start_up(data)
    finally:
        await asyncio.to_thread(shutil.rmtree, data)
    plain = statistics.median(clock for clock, _ in times[PLAIN])
    for name, taken in times.items():
        clocks = sorted(clock for clock, _ in taken)
        more = round(statistics.median(clocks) - plain, 2)
        row = {"median ms": statistics.median(clocks), "90 % ms": clocks[len(clocks) * 9 // 10], "more ms": more}
        processors = statistics.fmean(cost for _, cost in taken)
        result.rows.append({"what": name, **{key: round(value, 2) for key, value in row.items()}, "CPU ms": processors})
        if name != PLAIN:
            result.goals.append(Goal(f"{name}: more at the median, ms", "<= 15", more, more <= MAX_MILLISECONDS))
    tried, succeeded = await asyncio.to_thread(_besiege, result)
    result.goals.append(Goal("attempts to escape that were made", ">= 40", tried, tried >= 40))
    result.goals.append(Goal("attempts to escape that succeeded", "0", succeeded, succeeded == 0))
    return result


async def _start_up(data: Path) -> dict[str, list[tuple[float, float]]]:
    """Milliseconds by the clock and of the processors for each start, by who started it."""
    worktree = data / "worktree"
    worktree.mkdir()
    owner = sandbox_owner()
    hand_over(worktree, owner)
    ways: dict[str, Callable[[], Awaitable[Completed]]] = {
        PLAIN: lambda: run(["true"], cwd=worktree, env={"PATH": os.defpath}, timeout=60, user=owner)
    }
    for back_end in BACK_ENDS:
        sandbox = (await probe(data, back_end)).sandbox
        if sandbox is not None:
            ways[back_end] = partial(sandbox.run, Job(("true",), worktree))
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            began, spent = time.perf_counter(), _processors()
            ended = await way()
            assert ended.exit_code == 0, ended
            times[name].append((1000 * (time.perf_counter() - began), 1000 * (_processors() - spent)))
    return times


def _processors() -> float:
    """Seconds that we and the children that ended have had of the processors."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _besiege(result: Result) -> tuple[int, int]:
    """Adds a row for each ground that there is here; gives how many attempts were made and how many succeeded."""
    from tests.sandbox.escapes.catalogue import GROUNDS, jobs, outcomes, unusable
    from tests.sandbox.escapes.scene import scene

    tried = succeeded = 0
    for name, ground in GROUNDS.items():
        if unusable(ground):
            continue
        with scene(ground, ground.heal or sandbox_owner()) as where:
            found = outcomes(where.besiege(jobs()))
            found.pop("plant")
            escaped = sum(bool(output) for output, _ in found.values()) + len(where.harm())
        result.rows.append({"what": f"siege: {name}", "attempts": len(found), "escaped": escaped})
        tried, succeeded = tried + len(found), succeeded + escaped
    return tried, succeeded
