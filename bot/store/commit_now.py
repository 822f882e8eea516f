"""The current state of a commit without a pull request; it decides which requests make sense."""

from sqlalchemy import select

from bot.store.database import Database
from bot.store.runs import runs
from handlers.model import UNFINISHED
from healing.model import Frozen


class CommitNow(Frozen):
    """`newest` is the commit's last attempt, 0 if there was none; `at_work`: an attempt is unfinished."""

    newest: int
    at_work: bool


async def commit_now(database: Database, repo_id: int, sha: str) -> CommitNow:
    """Returns the state of a commit, which may be unknown."""
    query = select(runs.c.attempt, runs.c.state).where(runs.c.repo_id == repo_id, runs.c.sha == sha)
    async with database.read() as connection:
        rows = (await connection.execute(query)).all()
    return CommitNow(
        newest=max((row.attempt for row in rows), default=0), at_work=any(row.state in UNFINISHED for row in rows)
    )
