"""When each part of Heal last said that it lives, for other processes to read (OP-5)."""

from collections.abc import Callable

from sqlalchemy import Column, Float, String, Table, select, update

from bot.store.database import Database, insert_new
from bot.store.tables import metadata

WORKER = "worker"  # the part that beats
BEAT_SECONDS = 15.0  # between its beats

beats = Table(
    "beats",
    metadata,
    Column("part", String(20), primary_key=True),
    Column("beaten_at", Float, nullable=False),
)


class Beats:
    """The beats of one part, such as `worker`. `now` gives Unix time in seconds."""

    def __init__(self, database: Database, part: str, now: Callable[[], float]) -> None:
        self._db = database
        self._part = part
        self._now = now

    async def beat(self) -> None:
        """Says that the part lives."""
        row = {"part": self._part, "beaten_at": self._now()}
        async with self._db.write() as connection:
            await connection.execute(insert_new(connection, beats, row))
            await connection.execute(update(beats).where(beats.c.part == self._part).values(row))

    async def silence(self) -> float | None:
        """Seconds since the last beat; None where there never was one."""
        async with self._db.read() as connection:
            at = (await connection.execute(select(beats.c.beaten_at).where(beats.c.part == self._part))).scalar()
        return None if at is None else self._now() - at
