"""Delivery: API calls of a run, the way from a webhook to the check run that people see, and the acknowledgement of
webhooks beside a Probot app with the same handler."""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.delivery.acknowledging import Served, compare
from benchmarks.delivery.stage import Stage, stage
from benchmarks.shape import Goal, Result
from bot.durable.engine import DurableEngine
from lab.localhub.apps import new_key

PROPOSALS = (0, 1, 10, 50)
PULLS = 20
WITHIN = 120.0
SOON = 5.0  # seconds
FIRST_SEEN = "first failure to the queued check run"


async def measure() -> Result:
    """Rows of all three parts; seconds unless a key says otherwise."""
    result = Result("delivery", seed=0, packages=("uvicorn", "starlette", "sqlalchemy", "githubkit"))
    with tempfile.TemporaryDirectory(prefix="heal-delivery-") as name:
        folder = Path(name)
        for count in PROPOSALS:
            result.rows.append(await _calls(folder / f"calls-{count}", count))
        visible, payload = await _visible(folder / "visible")
        result.rows.append(_times(FIRST_SEEN, visible))
        served = await compare(folder, payload, new_key())
    result.rows += [_acknowledged(one) for one in served]
    result.goals = [_one_review_a_phase(result.rows), _seen_soon(result.rows), *_beside(served)]
    return result


async def _calls(folder: Path, count: int) -> dict[str, Any]:
    """What one run with so many proposals asks of GitHub."""
    queue = DurableEngine(stepped=True)
    async with stage(folder, count, queue) as here:
        here.ci_fails(here.open_pull())
        await _drained(here, queue)
        calls = here.calls()
        reviews = sum(seen.method == "POST" and seen.path.endswith("/reviews") for seen in here.github.log)
    row = {"what": f"API calls of a run, {count} proposals", "calls": sum(calls.values()), "reviews": reviews}
    return row | {"writes": sum(calls.values()) - calls["GET"]}


async def _drained(here: Stage, queue: DurableEngine) -> None:
    while True:
        await here.hub.settled()
        await queue.drain()
        await here.hub.settled()
        if await queue.idle():
            return


async def _visible(folder: Path) -> tuple[list[float], bytes]:
    """Seconds from a failed job, of which a webhook tells, to Heal's queued check run; and one of the payloads."""
    async with stage(folder, 0, DurableEngine()) as here:
        for _ in range(PULLS):
            here.open_pull()
        took = [await _until_seen(here, number) for number in range(PULLS)]
        sent = [d for d in here.hub.deliveries if (d.event, d.action) == ("check_run", "completed")]
    return took, sent[0].payload


async def _until_seen(here: Stage, number: int) -> float:
    head = here.pulls[number].head_sha
    here.ci_fails(here.pulls[number])
    began = time.perf_counter()
    async with asyncio.timeout(WITHIN):
        while not _is_seen(here, head):  # noqa: ASYNC110 -- it is GitHub that is looked at
            await asyncio.sleep(0.01)
    return time.perf_counter() - began


def _is_seen(here: Stage, head: str) -> bool:
    return any(run.app_slug == "heal" and run.head_sha == head for run in tuple(here.hub.check_runs.values()))


def _acknowledged(one: Served) -> dict[str, Any]:
    return _times(f"webhook acknowledged: {one.name}", one.seconds) | {"memory MB": round(one.megabytes, 1)}


def _times(what: str, seconds: list[float]) -> dict[str, Any]:
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return {"what": what, "p50": round(cuts[49], 4), "p95": round(cuts[94], 4), "p99": round(cuts[98], 4)}


def _one_review_a_phase(rows: list[dict[str, Any]]) -> Goal:
    most = max(row["reviews"] for row in rows if "reviews" in row)
    return Goal("review calls of a run of three phases", "≤ 3", most, most <= 3)


def _seen_soon(rows: list[dict[str, Any]]) -> Goal:
    late = next(row["p99"] for row in rows if row["what"] == FIRST_SEEN)
    return Goal("p99 from the first failure to the queued check run", f"≤ {SOON} s", late, late <= SOON)


def _beside(served: list[Served]) -> list[Goal]:
    names = ("p99 of the acknowledgement beside Probot's", "memory beside Probot's")
    if len(served) < 2:
        return [Goal(name, goal, None, ok=False) for name, goal in zip(names, ("≤ 1", "≤ 1.2"), strict=True)]
    ours, theirs = served
    late = _times("", ours.seconds)["p99"] / _times("", theirs.seconds)["p99"]
    memory = ours.megabytes / theirs.megabytes
    return [Goal(names[0], "≤ 1", round(late, 2), late <= 1), Goal(names[1], "≤ 1.2", round(memory, 2), memory <= 1.2)]
