"""Which failures the runs of a repository work on: implements `healing.pipeline.claims.Claims` on the database."""

import asyncio
from collections.abc import Callable

from sqlalchemy import BigInteger, Column, Float, Integer, String, Table, UniqueConstraint, delete, exists, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database, insert_new
from bot.store.runs import ROW_ID, runs
from bot.store.tables import metadata

claims = Table(
    "claims",
    metadata,
    Column("id", ROW_ID, primary_key=True, autoincrement=True),
    Column("repo_id", BigInteger, nullable=False),
    Column("breakage", String(64), nullable=False),
    Column("sha", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("claimed_at", Float, nullable=False),
    UniqueConstraint("repo_id", "breakage", "sha", "attempt", name="claims_once"),
)

CLAIM_SECONDS = 1800.0  # a run waits no longer than this for another pull request's run
PAUSE_SECONDS = 2.0


class StoredClaims:
    """Claims of one run. `now` returns Unix time in seconds. `holds`: whether other runs wait for this one. It is False
    for a fork's run, which could otherwise hold up the repository's own runs."""

    def __init__(
        self, database: Database, repo_id: int, sha: str, attempt: int, now: Callable[[], float], holds: bool = True
    ) -> None:
        self._db, self._now, self._holds = database, now, holds
        self._row = {"repo_id": repo_id, "sha": sha, "attempt": attempt}
        self._mine = (claims.c.repo_id == repo_id) & (claims.c.sha == sha) & (claims.c.attempt == attempt)

    async def claim(self, breakages: tuple[str, ...]) -> bool:
        async with self._db.write() as connection:
            over = (claims.c.repo_id == self._row["repo_id"]) & (claims.c.claimed_at <= self._now() - CLAIM_SECONDS)
            await connection.execute(delete(claims).where(over))
            await connection.execute(delete(claims).where(self._mine & claims.c.breakage.not_in(breakages)))
            for breakage in breakages if self._holds else ():
                row = {**self._row, "breakage": breakage, "claimed_at": self._now()}
                await connection.execute(insert_new(connection, claims, row))
            return await self._behind(connection, breakages)

    async def _behind(self, connection: AsyncConnection, breakages: tuple[str, ...]) -> bool:
        first = (await connection.execute(select(func.min(claims.c.id)).where(self._mine))).scalar()
        at_work = exists().where(
            runs.c.repo_id == claims.c.repo_id,
            runs.c.sha == claims.c.sha,
            runs.c.attempt == claims.c.attempt,
            runs.c.state == "running",
        )
        wanted = (claims.c.repo_id == self._row["repo_id"]) & claims.c.breakage.in_(breakages) & ~self._mine
        if first is not None:
            wanted &= claims.c.id < first
        return bool((await connection.execute(select(exists().where(wanted, at_work)))).scalar())

    async def pause(self) -> None:
        await asyncio.sleep(PAUSE_SECONDS)
