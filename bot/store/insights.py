"""Heal's results in one repository over time: acceptance, cost, time to the first suggestion, regressions."""

from collections import Counter
from itertools import groupby
from operator import itemgetter
from statistics import median
from typing import Any

from sqlalchemy import Column, Executable, Label, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database
from bot.store.proposals import DECIDED, proposals
from bot.store.runs import runs
from bot.store.spending import model_calls
from healing.model import Frozen

WEEK = 7 * 24 * 3600.0


class Week(Frozen):
    """One week from `begins` (Unix, seconds). `verdicts` counts finished runs; `first_seconds` is the median time from
    the first failed check to the first suggestion, None if there was none."""

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
    """Returns the last `count` weeks, oldest first; the last one ends now."""
    begins = tuple(now - (count - place) * WEEK for place in range(count))
    ended, decided, spent = _ended(repo_id, begins), _decided(repo_id, begins), _spent(repo_id, begins)
    waits: dict[int, float] = {}
    verdicts: list[Counter[str]] = [Counter() for _ in range(count)]
    decisions: list[Counter[str]] = [Counter() for _ in range(count)]
    prevented, dollars = [0] * count, [0.0] * count
    async with database.read() as connection:
        for week, verdict, number, kept in await _rows(connection, ended):
            verdicts[week][verdict or "stopped"] += number
            prevented[week] += kept
        for week, status, number in await _rows(connection, decided):
            decisions[week][status] += number
        for week, cost in await _rows(connection, spent):
            dollars[week] = cost
        for week, waited in groupby(await _rows(connection, _waits(repo_id, begins)), itemgetter(0)):
            waits[week] = median(seconds for _, seconds in waited)
    return tuple(
        Week(
            begins=begins[i], verdicts=dict(verdicts[i]), accepted=decisions[i]["applied"],
            rejected=decisions[i].total() - decisions[i]["applied"], dollars=round(dollars[i], 6),
            first_seconds=waits.get(i), prevented=prevented[i],
        )
        for i in range(count)
    )  # fmt: skip


async def _rows(connection: AsyncConnection, query: Executable) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await connection.execute(query)]


def _week(at: Column[float], begins: tuple[float, ...]) -> Label[int]:
    """The index of the week in which a time lies, computed in SQL so that the database does the counting."""
    return case(*((at < end, place) for place, end in enumerate(begins[1:])), else_=len(begins) - 1).label("week")


def _ended(repo_id: int, begins: tuple[float, ...]) -> Executable:
    kept = func.coalesce(func.sum(runs.c.prevented), 0)
    mine = (runs.c.repo_id == repo_id) & (runs.c.opened_at >= begins[0]) & (runs.c.state == "done")
    query = select(_week(runs.c.opened_at, begins), runs.c.verdict, func.count(), kept)
    return query.where(mine).group_by("week", runs.c.verdict)


def _decided(repo_id: int, begins: tuple[float, ...]) -> Executable:
    at = proposals.c.decided_at
    mine = (proposals.c.repo_id == repo_id) & (at >= begins[0]) & proposals.c.status.in_(DECIDED)
    query = select(_week(at, begins), proposals.c.status, func.count())
    return query.where(mine).group_by("week", proposals.c.status)


def _spent(repo_id: int, begins: tuple[float, ...]) -> Executable:
    mine = (model_calls.c.repo_id == repo_id) & (model_calls.c.made_at >= begins[0])
    query = select(_week(model_calls.c.made_at, begins), func.sum(model_calls.c.dollars))
    return query.where(mine).group_by("week")


def _waits(repo_id: int, begins: tuple[float, ...]) -> Executable:
    """The week in which each run was opened and the seconds from then to its first suggestion, ordered by week."""
    first = func.min(proposals.c.offered_at).label("first")
    mine = (proposals.c.repo_id == repo_id) & (proposals.c.offered_at >= begins[0])
    by_run = select(proposals.c.run_id, first).where(mine).group_by(proposals.c.run_id).subquery()
    seconds = case((by_run.c.first > runs.c.opened_at, by_run.c.first - runs.c.opened_at), else_=0.0)
    return (
        select(_week(runs.c.opened_at, begins), seconds)
        .join(by_run, runs.c.run_id == by_run.c.run_id)
        .where(runs.c.repo_id == repo_id, runs.c.opened_at >= begins[0])
        .order_by("week")
    )


class RepoActivity(Frozen):
    """The number of runs in one repository, and when the last one was opened (Unix, seconds)."""

    runs: int
    last: float


async def repo_activity(database: Database, repos: tuple[int, ...]) -> dict[int, RepoActivity]:
    """Returns the activity of each of these repositories that had a run."""
    if not repos:
        return {}
    query = (
        select(runs.c.repo_id, func.count(), func.max(runs.c.opened_at))
        .where(runs.c.repo_id.in_(repos))
        .group_by(runs.c.repo_id)
    )
    async with database.read() as connection:
        rows = [tuple(row) for row in await connection.execute(query)]
    return {repo: RepoActivity(runs=count, last=last) for repo, count, last in rows}
