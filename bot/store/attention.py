"""Queries for a maintainer's overview, over the repositories that the user may see: undecided fixes, runs that left
errors and why, applied fixes, and costs."""

from typing import Any

from sqlalchemy import Select, and_, func, or_, select

from bot.store.database import Database
from bot.store.overview import Key, RunLine, among, lines_of
from bot.store.proposals import proposals
from bot.store.pulls import pulls
from bot.store.runs import runs
from bot.store.spending import model_calls
from handlers.model import STANDING
from healing.model import Frozen, Proposal

MAX_FIXES = 200
MAX_RUNS = 400  # searched for runs that left errors


class ListedFix(Frozen):
    """A fix with its pull request and its run. `at` is when it was offered or decided, in Unix seconds."""

    repo_id: int
    number: int
    proposal: Proposal
    status: str
    delivery: str
    fixup_number: int | None
    at: float | None
    title: str
    author: str
    sha: str | None
    attempt: int | None


async def open_fixes(database: Database, repos: tuple[int, ...], most: int = MAX_FIXES) -> tuple[ListedFix, ...]:
    """Undecided fixes of pull requests that aren't known to be closed, newest first."""
    query = _fixes(repos, proposals.c.offered_at)
    undecided = and_(proposals.c.status.in_(STANDING), or_(pulls.c.open.is_(None), pulls.c.open))
    return await _listed(database, query.where(undecided).limit(most))


async def applied_fixes(
    database: Database, repos: tuple[int, ...], since: float, most: int = MAX_FIXES
) -> tuple[ListedFix, ...]:
    """Fixes that were applied since that time, newest first."""
    query = _fixes(repos, proposals.c.decided_at)
    return await _listed(
        database, query.where(proposals.c.decided_at >= since, proposals.c.status == "applied").limit(most)
    )


def _fixes(repos: tuple[int, ...], at: Any) -> Select[Any]:
    pull = and_(pulls.c.repo_id == proposals.c.repo_id, pulls.c.number == proposals.c.number)
    run = and_(runs.c.repo_id == proposals.c.repo_id, runs.c.run_id == proposals.c.run_id)
    own = [proposals.c[name] for name in ("repo_id", "number", "status", "delivery", "fixup_number", "body")]
    others = [pulls.c.title, pulls.c.author, runs.c.sha, runs.c.attempt]
    query = select(*own, at.label("at"), *others).outerjoin(pulls, pull).outerjoin(runs, run)
    return query.where(proposals.c.repo_id.in_(repos)).order_by(at.desc(), proposals.c.id.desc())


async def _listed(database: Database, query: Select[Any]) -> tuple[ListedFix, ...]:
    async with database.read() as connection:
        rows = (await connection.execute(query)).mappings().all()
    fixes = []
    for row in rows:
        values = {**row, "title": row["title"] or "", "author": row["author"] or ""}
        fixes.append(ListedFix(proposal=Proposal.model_validate_json(values.pop("body")), **values))
    return tuple(fixes)


async def runs_with_errors_left(database: Database, repos: tuple[int, ...], since: float) -> tuple[RunLine, ...]:
    """The newest run of each open pull request (or commit without one) since that time, if it left errors or was
    stopped."""
    if not repos:
        return ()
    columns = (
        runs.c.opened_at,
        runs.c.repo_id,
        runs.c.sha,
        runs.c.attempt,
        runs.c.number,
        runs.c.state,
        runs.c.verdict,
    )
    query = select(*columns).where(among(repos), runs.c.opened_at >= since)
    newest: dict[tuple[int, int | str], Key | None] = {}
    async with database.read() as connection:
        for row in await connection.execute(query.order_by(runs.c.opened_at.desc()).limit(MAX_RUNS)):
            left = row.state == "stopped" or (row.state == "done" and row.verdict != "healed")
            newest.setdefault((row.repo_id, row.number or row.sha), tuple(row)[:4] if left else None)
        lines = await lines_of(connection, [key for key in newest.values() if key is not None])
    return tuple(line for line in lines if line.open)


async def spent_since(database: Database, repos: tuple[int, ...], since: float) -> dict[int, float]:
    """US dollars spent by repository, most expensive first, without repositories that cost nothing."""
    total = func.sum(model_calls.c.dollars)
    mine = (model_calls.c.repo_id.in_(repos)) & (model_calls.c.made_at >= since)
    query = select(model_calls.c.repo_id, total).where(mine).group_by(model_calls.c.repo_id).order_by(total.desc())
    async with database.read() as connection:
        return {repo: float(dollars) for repo, dollars in await connection.execute(query) if dollars}
