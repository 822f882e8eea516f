"""Change tokens that open pages compare to see whether something changed, cheap enough to compute every second."""

from sqlalchemy import func, select

from bot.store.database import Database
from bot.store.memory import trajectories
from bot.store.overview import among
from bot.store.proposals import proposals
from bot.store.runs import runs
from bot.store.spending import model_calls
from handlers.model import UNFINISHED
from healing.model import content_id

LOOKED_AT = 30  # runs at the top of a list


async def list_version(database: Database, repos: tuple[int, ...]) -> str:
    """Returns a token of the newest runs and the number of unfinished ones."""
    if not repos:
        return "none"
    newest = select(runs.c.sha, runs.c.attempt, runs.c.state, runs.c.verdict).where(among(repos))
    working = select(func.count()).select_from(runs).where(among(repos), runs.c.state.in_(UNFINISHED))
    async with database.read() as connection:
        rows = (await connection.execute(newest.order_by(runs.c.opened_at.desc()).limit(LOOKED_AT))).all()
        count = (await connection.execute(working)).scalar_one()
    return content_id([list(row) for row in rows], count)


async def run_version(database: Database, repo_id: int, sha: str, attempt: int) -> str:
    """Returns a token of one run; empty if there is no such run."""
    mine = (runs.c.repo_id == repo_id) & (runs.c.sha == sha) & (runs.c.attempt == attempt)
    async with database.read() as connection:
        columns = (runs.c.state, runs.c.run_id, runs.c.number, runs.c.cancelled)
        row = (await connection.execute(select(*columns).where(mine))).first()
        if row is None:
            return ""
        counts = []
        for table in (model_calls, trajectories):
            here = (table.c.repo_id == repo_id) & (table.c.run_id == (row.run_id or ""))
            counts.append((await connection.execute(select(func.count()).select_from(table).where(here))).scalar_one())
        offered = (proposals.c.repo_id == repo_id) & (proposals.c.run_id == (row.run_id or ""))
        statuses = select(proposals.c.proposal_id, proposals.c.status).where(offered).order_by(proposals.c.id)
        rows = [list(status) for status in await connection.execute(statuses)]
    return content_id(row.state, row.cancelled or "", counts, rows)
