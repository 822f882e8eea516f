"""Titles, branches and authors of pull requests as Heal last read them, and whether they are open."""

from collections.abc import Callable

from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, String, Table, Text, update

from bot.store.database import Database, insert_new
from bot.store.tables import metadata
from bot.store.words import stored
from handlers.model import Pull

pulls = Table(
    "pulls",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("title", String(300), nullable=False),
    Column("branch", String(300), nullable=False),
    Column("author", String(100), nullable=False),
    Column("open", Boolean, nullable=False),
    Column("words", Text, nullable=False),
    Column("seen_at", Float, nullable=False),
)


class PullRows:
    """Pull requests of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def note_pull(self, pull: Pull) -> None:
        """See `handlers.model.Store`."""
        named = (stored(pull.title, 300), stored(pull.head_ref, 300), stored(pull.author, 100))
        row = dict(zip(("title", "branch", "author"), named, strict=True))
        values = {**row, "open": pull.state == "open", "words": " ".join(named).lower(), "seen_at": self._now()}
        fresh = {**values, "repo_id": self._repo_id, "number": pull.number}
        mine = (pulls.c.repo_id == self._repo_id) & (pulls.c.number == pull.number)
        async with self._db.write() as connection:
            if (await connection.execute(insert_new(connection, pulls, fresh))).rowcount == 0:
                await connection.execute(update(pulls).where(mine).values(**values))
