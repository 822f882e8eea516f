"""The settings of each repository, as they were last read from its `.github/heal.yml`: for the dashboard."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import BigInteger, Column, Connection, Float, String, Table, Text, select, update

from bot.store.database import Database, insert_new
from bot.store.tables import metadata
from handlers.model import Settings

repo_settings = Table(
    "repo_settings",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("branch", String(300), nullable=False),
    Column("sha", String(64), nullable=False),
    Column("body", Text, nullable=False),
    Column("read_at", Float, nullable=False),
)


@dataclass(frozen=True)
class ReadSettings:
    """The settings at a commit of a branch, and when they were read, in Unix seconds. `branch` is empty if the commit's
    branch was not known."""

    settings: Settings
    branch: str
    sha: str
    read_at: float


class SettingsRows:
    """The settings of one repository; the latest ones replace those before. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def save_settings(self, settings: Settings, branch: str, sha: str) -> None:
        row = {
            "repo_id": self._repo_id,
            "branch": branch[:300],
            "sha": sha,
            "body": settings.model_dump_json(),
            "read_at": self._now(),
        }
        async with self._db.write() as connection:
            await connection.execute(insert_new(connection, repo_settings, row))
            mine = repo_settings.c.repo_id == self._repo_id
            await connection.execute(update(repo_settings).where(mine).values(**row))


async def settings_of(database: Database, repo_id: int) -> ReadSettings | None:
    """Returns the settings that were last read in a repository; None if none ever were."""

    def read(connection: Connection) -> ReadSettings | None:
        row = connection.execute(select(repo_settings).where(repo_settings.c.repo_id == repo_id)).mappings().first()
        if row is None:
            return None
        return ReadSettings(Settings.model_validate_json(row["body"]), row["branch"], row["sha"], row["read_at"])

    return await database.look(read)
