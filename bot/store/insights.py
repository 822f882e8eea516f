"""How Heal does in one repository over time: acceptance, cost, time to the first suggestion, regressions (OP-4)."""

from collections import Counter
from statistics import median

from sqlalchemy import func, select

from bot.store.database import Database
from bot.store.proposals import DECIDED, proposals
from bot.store.runs import runs
from bot.store.spending import model_calls
from healing.model import Frozen

WEEK = 7 * 24 * 3600.0


class Week(Frozen):
    """One week from `begins` (Unix, seconds). `verdicts` counts finished runs; `first_seconds` is the median time from
    the first failed check to the first suggestion, None where there was none."""

    begins: float
    verdicts: dict[str, int]
    accepted: int
    rejected: int
    dollars: float
    first_seconds: float | None
    prevented: int

    @property
    def runs(self) -> int:
        return sum(self.verdicts.values())


async def weeks(database: Database, repo_id: int, now: float, count: int = 12) -> tuple[Week, ...]:
    """The last `count` weeks, the oldest first; the last one ends now."""
    first = now - count * WEEK
    ended = await _ended(database, repo_id, first)
    decided = await _decided(database, repo_id, first)
    spent = await _spent(database, repo_id, first)
    waits = await _waits(database, repo_id, first)

    def place(at: float) -> int:
        return min(int((at - first) // WEEK), count - 1)

    verdicts: list[Counter[str]] = [Counter() for _ in range(count)]
    prevented, dollars, accepted, rejected = [0] * count, [0.0] * count, [0] * count, [0] * count
    firsts: list[list[float]] = [[] for _ in range(count)]
    for at, verdict, kept in ended:
        verdicts[place(at)][verdict or "stopped"] += 1
        prevented[place(at)] += kept
    for at, status in decided:
        (accepted if status == "applied" else rejected)[place(at)] += 1
    for at, cost in spent:
        dollars[place(at)] += cost
    for at, seconds in waits:
        firsts[place(at)].append(seconds)
    return tuple(
        Week(
            begins=first + i * WEEK, verdicts=dict(verdicts[i]), accepted=accepted[i], rejected=rejected[i],
            dollars=round(dollars[i], 6), first_seconds=median(firsts[i]) if firsts[i] else None,
            prevented=prevented[i],
        )
        for i in range(count)
    )  # fmt: skip


async def _ended(database: Database, repo_id: int, since: float) -> list[tuple[float, str | None, int]]:
    mine = (runs.c.repo_id == repo_id) & (runs.c.opened_at >= since) & (runs.c.state == "done")
    async with database.read() as connection:
        rows = await connection.execute(select(runs.c.opened_at, runs.c.verdict, runs.c.prevented).where(mine))
        return [(row.opened_at, row.verdict, row.prevented or 0) for row in rows]


async def _decided(database: Database, repo_id: int, since: float) -> list[tuple[float, str]]:
    mine = (proposals.c.repo_id == repo_id) & (proposals.c.decided_at >= since) & proposals.c.status.in_(DECIDED)
    async with database.read() as connection:
        rows = await connection.execute(select(proposals.c.decided_at, proposals.c.status).where(mine))
        return [(row.decided_at, row.status) for row in rows]


async def _spent(database: Database, repo_id: int, since: float) -> list[tuple[float, float]]:
    mine = (model_calls.c.repo_id == repo_id) & (model_calls.c.made_at >= since)
    async with database.read() as connection:
        rows = await connection.execute(select(model_calls.c.made_at, model_calls.c.dollars).where(mine))
        return [(row.made_at, row.dollars) for row in rows]


async def _waits(database: Database, repo_id: int, since: float) -> list[tuple[float, float]]:
    """When each run was opened, and the seconds from then to its first suggestion."""
    first = func.min(proposals.c.offered_at).label("first")
    offered = select(proposals.c.run_id, first).where(proposals.c.repo_id == repo_id, proposals.c.offered_at >= since)
    by_run = offered.group_by(proposals.c.run_id).subquery()
    query = (
        select(runs.c.opened_at, by_run.c.first)
        .join(by_run, runs.c.run_id == by_run.c.run_id)
        .where(runs.c.repo_id == repo_id, runs.c.opened_at >= since)
    )
    async with database.read() as connection:
        return [(row.opened_at, max(0.0, row.first - row.opened_at)) for row in await connection.execute(query)]


class Standing(Frozen):
    """How much happened in one repository, and when last (Unix, seconds)."""

    runs: int
    last: float


async def standings(database: Database, repos: tuple[int, ...]) -> dict[int, Standing]:
    """Of each repository that had a run."""
    if not repos:
        return {}
    query = (
        select(runs.c.repo_id, func.count(), func.max(runs.c.opened_at))
        .where(runs.c.repo_id.in_(repos))
        .group_by(runs.c.repo_id)
    )
    async with database.read() as connection:
        rows = [tuple(row) for row in await connection.execute(query)]
    return {repo: Standing(runs=count, last=last) for repo, count, last in rows}
