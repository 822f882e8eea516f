"""Costs of models: every answered call, and the budget reserved by running runs."""

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import BigInteger, Column, ColumnElement, Float, Index, Integer, String, Table, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.counters import add
from bot.store.counting import of_call
from bot.store.database import Database, insert_new
from bot.store.tables import metadata
from healing.llm.usage_records import Booking, SpendingLimit, tightest
from healing.model import Frozen

model_calls = Table(
    "model_calls",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("run_id", String(100), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("number", Integer),
    Column("model", String(200), nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("cache_write_tokens", BigInteger, nullable=False),
    Column("cache_read_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("dollars", Float, nullable=False),
    Column("lost", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("request_id", String(200), nullable=False),
    Column("cache_miss", String(80), nullable=False),
    Column("made_at", Float, nullable=False),
    Index("model_calls_by_time", "repo_id", "made_at"),
)

spending_holds = Table(
    "spending_holds",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("run_id", String(100), primary_key=True),
    Column("number", Integer),
    Column("dollars", Float, nullable=False),
    Column("held_at", Float, nullable=False),
)

DAY = 86_400.0
HOLD_SECONDS = 6 * 3600.0  # an older reservation belongs to a run that is over: no run lasts that long


class Caps(Frozen):
    """Limits in US dollars: the operator's for a run with all its attempts, for a pull request, and for a repository
    per month; and the repository's own for a run."""

    run: float = 10.0
    pull: float = 20.0
    month: float = 200.0
    day: float | None = None  # while Heal only observes the repository
    own: float | None = None  # `agents.dollars` of .github/heal.yml


class SpendingRows:
    """Spending of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def hold_room(self, run_id: str, number: int | None, caps: Caps) -> SpendingLimit:
        """Reserves as much for a run as the tightest limit leaves, so that concurrent runs can't exceed a limit that
        they share. A second call for the same run replaces its reservation."""
        async with self._db.write() as connection:
            await connection.execute(delete(spending_holds).where(self._hold(run_id)))
            stale = spending_holds.c.held_at < self._now() - HOLD_SECONDS
            await connection.execute(delete(spending_holds).where(spending_holds.c.repo_id == self._repo_id, stale))
            limit = tightest(await self._limits(connection, run_id, number, caps))
            row = {
                "repo_id": self._repo_id,
                "run_id": run_id,
                "number": number,
                "dollars": limit.room,
                "held_at": self._now(),
            }
            await connection.execute(insert_new(connection, spending_holds, row))
        return limit

    async def limits(self, run_id: str, number: int | None, caps: Caps) -> tuple[SpendingLimit, ...]:
        """Returns the limits of a run, with what was spent and reserved of each. Reserves nothing."""
        async with self._db.read() as connection:
            return await self._limits(connection, run_id, number, caps)

    async def release_room(self, run_id: str) -> None:
        """Releases the reservation of a run that is over."""
        async with self._db.write() as connection:
            await connection.execute(delete(spending_holds).where(self._hold(run_id)))

    async def spent(self, run_id: str | None = None, number: int | None = None, since: float = 0.0) -> float:
        """Returns the US dollars spent on the calls of a run, of a pull request, or of all calls, since a time (Unix,
        seconds)."""
        async with self._db.read() as connection:
            return await self._sum(connection, run_id, number, since)

    def month_began(self) -> float:
        """Returns the start of this month in UTC (Unix, seconds)."""
        now = datetime.fromtimestamp(self._now(), UTC)
        return now.replace(day=1, hour=0, minute=0, second=0, microsecond=0).timestamp()

    def day_began(self) -> float:
        """Returns the start of this day in UTC (Unix, seconds)."""
        return self._now() // DAY * DAY

    async def _limits(
        self, connection: AsyncConnection, run_id: str, number: int | None, caps: Caps
    ) -> tuple[SpendingLimit, ...]:
        month = await self._sum(connection, None, None, self.month_began()) + await self._held(connection, None)
        run = await self._sum(connection, run_id, None, 0.0)
        limits = [
            SpendingLimit(whose="this run's", dollars=caps.run, before=run),
            SpendingLimit(whose="this repository's monthly", dollars=caps.month, before=month),
        ]
        if caps.own is not None:
            limits.append(SpendingLimit(whose="the repository's own (`agents.dollars`)", dollars=caps.own, before=run))
        if caps.day is not None:
            day = await self._sum(connection, None, None, self.day_began()) + await self._held(connection, None)
            limits.append(SpendingLimit(whose="this repository's daily trial", dollars=caps.day, before=day))
        if number is not None:
            before = await self._sum(connection, None, number, 0.0) + await self._held(connection, number)
            limits.append(SpendingLimit(whose="this pull request's", dollars=caps.pull, before=before))
        return tuple(limits)

    async def _sum(self, connection: AsyncConnection, run_id: str | None, number: int | None, since: float) -> float:
        query = select(func.coalesce(func.sum(model_calls.c.dollars), 0.0)).where(
            model_calls.c.repo_id == self._repo_id, model_calls.c.made_at >= since
        )
        if run_id is not None:
            query = query.where(model_calls.c.run_id == run_id)
        if number is not None:
            query = query.where(model_calls.c.number == number)
        return float((await connection.execute(query)).scalar_one())

    async def _held(self, connection: AsyncConnection, number: int | None) -> float:
        """The total reserved by the other runs of the repository, or of one pull request. What they have spent of it is
        counted twice while they run: too little budget is safer than too much."""
        query = select(func.coalesce(func.sum(spending_holds.c.dollars), 0.0)).where(
            spending_holds.c.repo_id == self._repo_id
        )
        if number is not None:
            query = query.where(spending_holds.c.number == number)
        return float((await connection.execute(query)).scalar_one())

    def _hold(self, run_id: str) -> ColumnElement[bool]:
        return (spending_holds.c.repo_id == self._repo_id) & (spending_holds.c.run_id == run_id)

    def usage_records(self, run_id: str, number: int | None) -> "RunUsageRecords":
        """Returns the usage records of one run."""
        return RunUsageRecords(self._db, self._repo_id, run_id, number, self._now)


class RunUsageRecords:
    """`healing.llm.usage_records.UsageRecords` on the database, for one run."""

    def __init__(
        self, database: Database, repo_id: int, run_id: str, number: int | None, now: Callable[[], float]
    ) -> None:
        self._db = database
        self._of = {"repo_id": repo_id, "run_id": run_id, "number": number}
        self._now = now

    async def booked(self) -> dict[str, float]:
        """Returns the dollars of each call of the run, by the call's key."""
        mine = (model_calls.c.repo_id == self._of["repo_id"]) & (model_calls.c.run_id == self._of["run_id"])
        async with self._db.read() as connection:
            rows = await connection.execute(select(model_calls.c.key, model_calls.c.dollars).where(mine))
            return {row.key: row.dollars for row in rows}

    async def book(self, booking: Booking) -> None:
        """Records one call, once, and counts it."""
        usage = booking.usage
        row = {
            **self._of,
            "key": booking.key,
            "model": booking.model[:200],
            "input_tokens": usage.input_tokens,
            "cache_write_tokens": usage.write_5m_tokens + usage.write_1h_tokens,
            "cache_read_tokens": usage.cache_read_tokens,
            "output_tokens": usage.output_tokens,
            "dollars": booking.dollars,
            "lost": booking.lost,
            "seconds": booking.seconds,
            "request_id": booking.request_id[:200],
            "cache_miss": booking.cache_miss[:80],
            "made_at": self._now(),
        }
        async with self._db.write() as connection:
            if (await connection.execute(insert_new(connection, model_calls, row))).rowcount:
                await add(connection, of_call(booking))
