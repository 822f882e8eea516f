"""Heartbeats: when each part of Heal last reported that it is alive, for other processes to read."""

from collections.abc import Callable

from sqlalchemy import Column, Float, String, Table, select, update

from bot.store.database import Database, insert_new
from bot.store.tables import metadata

WORKER = "worker"  # heartbeat of the worker process
REDELIVERY = "redelivery"  # the search for deliveries that never arrived
BEAT_SECONDS = 15.0  # between the beats of a worker
REDELIVERY_SECONDS = 600.0  # between two searches
INTERVALS = {WORKER: BEAT_SECONDS, REDELIVERY: REDELIVERY_SECONDS}

beats = Table(
    "beats",
    metadata,
    Column("part", String(20), primary_key=True),
    Column("beaten_at", Float, nullable=False),
)


def longest_silence(part: str) -> float:
    """Seconds without a heartbeat after which a part counts as not working: six of its intervals."""
    return 6 * INTERVALS.get(part, BEAT_SECONDS)


class Heartbeat:
    """The heartbeats of one part, such as `worker`. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, part: str, now: Callable[[], float]) -> None:
        self._db = database
        self._part = part
        self._now = now

    async def beat(self) -> None:
        """Records a heartbeat now."""
        row = {"part": self._part, "beaten_at": self._now()}
        async with self._db.write() as connection:
            await connection.execute(insert_new(connection, beats, row))
            await connection.execute(update(beats).where(beats.c.part == self._part).values(row))

    async def silence(self) -> float | None:
        """Seconds since the last heartbeat; None if there never was one."""
        async with self._db.read() as connection:
            at = (await connection.execute(select(beats.c.beaten_at).where(beats.c.part == self._part))).scalar()
        return None if at is None else self._now() - at
