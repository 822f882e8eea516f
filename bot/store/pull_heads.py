"""The newest head of each pull request that Heal works on, so that a green check on any other commit costs no request
to GitHub."""

from collections.abc import Callable

from sqlalchemy import BigInteger, Column, Float, Index, Integer, String, Table, select, update

from bot.store.database import Database, insert_new
from bot.store.tables import metadata

pull_heads = Table(
    "pull_heads",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("sha", String(64), nullable=False),
    Column("noted_at", Float, nullable=False),
    Index("pull_heads_by_sha", "repo_id", "sha"),
)


class PullHeadRows:
    """Heads of pull requests of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def note_head(self, number: int, sha: str) -> None:
        """See `handlers.model.Store`."""
        row = {"sha": sha, "noted_at": self._now()}
        mine = (pull_heads.c.repo_id == self._repo_id) & (pull_heads.c.number == number)
        fresh = {**row, "repo_id": self._repo_id, "number": number}
        async with self._db.write() as connection:
            if (await connection.execute(insert_new(connection, pull_heads, fresh))).rowcount == 0:
                await connection.execute(update(pull_heads).where(mine).values(**row))

    async def pulls_at(self, sha: str) -> tuple[int, ...]:
        """See `handlers.model.Store`."""
        mine = (pull_heads.c.repo_id == self._repo_id) & (pull_heads.c.sha == sha)
        query = select(pull_heads.c.number).where(mine).order_by(pull_heads.c.number)
        async with self._db.read() as connection:
            return tuple((await connection.execute(query)).scalars())
