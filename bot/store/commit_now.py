"""How a commit stands that has no pull request: what may be asked for makes sense by that."""

from sqlalchemy import select

from bot.store.database import Database
from bot.store.runs import runs
from handlers.model import UNFINISHED
from healing.model import Frozen


class CommitNow(Frozen):
    """`newest` is its last attempt, 0 where there was none; `at_work`: one of them isn't over."""

    newest: int
    at_work: bool


async def commit_now(database: Database, repo_id: int, sha: str) -> CommitNow:
    """Of a commit that may be unknown."""
    query = select(runs.c.attempt, runs.c.state).where(runs.c.repo_id == repo_id, runs.c.sha == sha)
    async with database.read() as connection:
        rows = (await connection.execute(query)).all()
    return CommitNow(
        newest=max((row.attempt for row in rows), default=0), at_work=any(row.state in UNFINISHED for row in rows)
    )
