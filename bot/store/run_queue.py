"""The queue of runs: one at a time per concurrency key, a limited number per repository, and no run is starved."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    Integer,
    Select,
    String,
    Table,
    delete,
    exists,
    false,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.attempts import RunRef
from bot.store.database import Database, insert_new
from bot.store.runs import failures, runs, settled_suites
from bot.store.tables import metadata
from bot.store.taken import give_back
from handlers.model import UNFINISHED

EPOCH = 1_767_225_600  # 2026-01-01: due times count from here, to fit into 31 bits
SHARE_SECONDS = 60  # delay of a new run for each run that its installation already has in the queue
PERSON_SECONDS = 1800  # delay of a run for which no person waits

turns = Table(
    "turns",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("sha", String(64), primary_key=True),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("installation_id", BigInteger, nullable=False),
    Column("full_name", String(300), nullable=False),
    Column("lane", String(150), nullable=False),
    Column("due", BigInteger, nullable=False),
    Column("begun", Boolean, nullable=False),
    Column("taken_by", String(200)),
    Column("not_before", Float, nullable=False, server_default="0"),
    Column("starts", Integer, nullable=False, server_default="0"),
)


_same = (runs.c.repo_id == turns.c.repo_id) & (runs.c.sha == turns.c.sha) & (runs.c.attempt == turns.c.attempt)


@dataclass(frozen=True)
class QueueEntry:
    """A run in the queue. A smaller `due` comes sooner; `begun`: it holds its concurrency key."""

    ref: RunRef
    concurrency_key: str
    due: int
    begun: bool
    free: bool
    starts: int


class TakenRun(NamedTuple):
    """A run to start now, for the `starts`th time."""

    key: RunRef
    starts: int


@dataclass(frozen=True)
class RunLimits:
    """How many runs may be in progress on all workers together: of one repository, and in total (0: unlimited)."""

    of_a_repo: int = 4
    in_all: int = 0


class RunQueue:
    """All runs from the end of their debounce window to their own end. A concurrency key is held by the run that has
    begun, even while it waits for something; the runs behind it follow in the order of their due times."""

    def __init__(self, database: Database, limits: RunLimits) -> None:
        self._db = database
        self._limits = limits

    async def enqueue(self, ref: RunRef, concurrency_key: str, now: float, waited_for: bool) -> None:
        """Adds the run to the queue, once, unless it is over."""
        async with self._db.write() as connection:
            await enqueue_in(connection, ref, concurrency_key, now, waited_for)

    async def take(self, worker: str, most: int, now: float) -> tuple[TakenRun, ...]:
        """Assigns at most `most` runs that may start now to this worker alone. Runs that are over are removed from the
        queue first."""

        def look(connection: Connection) -> tuple[QueueEntry, ...]:
            return tuple(_next(_all(connection, now), self._limits, most))

        def take(connection: Connection) -> tuple[TakenRun, ...]:
            connection.execute(delete(turns).where(~_WANTED))
            entries = look(connection)
            for entry in entries:
                mine = {"begun": True, "taken_by": worker, "starts": entry.starts + 1}
                connection.execute(update(turns).where(_is(entry.ref)).values(**mine))
            return tuple(TakenRun(entry.ref, entry.starts + 1) for entry in entries)

        # Called all the time: avoid the write lock where there is nothing to take.
        return await self._db.run_transaction(take) if await self._db.look(look) else ()

    async def give_back(self, worker: str, in_hand: Collection[RunRef]) -> int:
        """Frees runs that no worker works on (see `taken.give_back`)."""
        mine = or_(false(), *(_is(ref) for ref in in_hand))
        return await give_back(self._db, turns, worker, turns.c.taken_by.is_not(None), mine)

    async def later(self, ref: RunRef, not_before: float) -> None:
        """Frees the run, to be taken again not before that time (Unix, seconds); it keeps its concurrency key."""
        async with self._db.write() as connection:
            free = {"taken_by": None, "not_before": not_before}
            await connection.execute(update(turns).where(_is(ref)).values(**free))

    async def any(self) -> bool:
        """Whether a run is debounced, queued or running."""
        async with self._db.read() as connection:
            exists_ = select(turns.c.sha).where(_WANTED).exists() | exists().where(runs.c.state == "gathering")
            return bool((await connection.execute(select(exists_))).scalar())

    async def missing(self) -> tuple[RunRef, ...]:
        """Returns the running runs that are missing in the queue."""
        mine = exists().where(_same)
        async with self._db.read() as connection:
            return await _refs(connection, (runs.c.state == "running") & ~mine)

    async def gathered(self, now: float, quiet: float) -> tuple[RunRef, ...]:
        """Returns runs whose debounce window may have to end: there was no new failure for `quiet` seconds, or a check
        suite has settled."""
        same = (failures.c.repo_id == runs.c.repo_id) & (failures.c.sha == runs.c.sha)
        last = select(func.max(failures.c.received_at)).where(same, failures.c.attempt == runs.c.attempt)
        settled = (settled_suites.c.repo_id == runs.c.repo_id) & (settled_suites.c.sha == runs.c.sha)
        ripe = func.coalesce(last.scalar_subquery(), 0.0) <= now - quiet
        async with self._db.read() as connection:
            return await _refs(connection, (runs.c.state == "gathering") & (ripe | exists().where(settled)))

    async def end(self, ref: RunRef) -> None:
        """Removes the run from the queue, whether it succeeded or not."""
        async with self._db.write() as connection:
            await connection.execute(delete(turns).where(_is(ref)))


async def enqueue_in(
    connection: AsyncConnection, ref: RunRef, concurrency_key: str, now: float, waited_for: bool
) -> None:
    """`RunQueue.enqueue` inside the caller's transaction. The run's due time is its arrival, later for each run that
    its installation already has in the queue (fair shares), sooner if a person waits for it. As it is a time, every run
    gets its turn."""
    if (await connection.execute(_unfinished(ref))).first() is None:
        return
    mine = select(func.count()).select_from(turns).where(turns.c.installation_id == ref.installation_id)
    before = int((await connection.execute(mine)).scalar_one())
    due = now - EPOCH + SHARE_SECONDS * before + (0 if waited_for else PERSON_SECONDS)
    row = {**ref.model_dump(), "lane": concurrency_key, "due": max(1, int(due)), "begun": False}
    await connection.execute(insert_new(connection, turns, row))


async def _refs(connection: AsyncConnection, which: ColumnElement[bool]) -> tuple[RunRef, ...]:
    """Returns the references of matching runs, oldest first."""
    query = select(*(runs.c[name] for name in RunRef.model_fields)).where(which).order_by(runs.c.opened_at)
    return tuple(RunRef.model_validate(dict(row)) for row in (await connection.execute(query)).mappings())


_WANTED = exists().where(_same, runs.c.state.in_(UNFINISHED))


def _all(connection: Connection, now: float) -> list[QueueEntry]:
    """Returns all unfinished entries; those that already hold a concurrency key come first."""
    query = select(turns).where(_WANTED).order_by(turns.c.begun.desc(), turns.c.due, turns.c.sha)
    return [_entry(row, now) for row in connection.execute(query).mappings()]


def _next(everybody: list[QueueEntry], limits: RunLimits, most: int) -> Iterable[QueueEntry]:
    """Yields the entries that may be taken now, in order."""
    room = (limits.in_all or len(everybody)) - sum(entry.begun for entry in everybody)
    concurrency_keys = {entry.concurrency_key for entry in everybody if entry.begun}
    repos = Counter(entry.ref.repo_id for entry in everybody if entry.begun)
    for entry in everybody:
        fits = (
            room > 0 and entry.concurrency_key not in concurrency_keys and repos[entry.ref.repo_id] < limits.of_a_repo
        )
        if most > 0 and entry.free and (entry.begun or fits):
            most -= 1
            if not entry.begun:
                room -= 1
                concurrency_keys.add(entry.concurrency_key)
                repos[entry.ref.repo_id] += 1
            yield entry


def _entry(row: Any, now: float) -> QueueEntry:
    # Without validation, for speed: a thousand runs may be waiting.
    ref = RunRef.model_construct(**{name: row[name] for name in RunRef.model_fields})
    free = row["taken_by"] is None and row["not_before"] <= now
    return QueueEntry(ref, row["lane"], row["due"], bool(row["begun"]), free, row["starts"])


def _unfinished(ref: RunRef) -> Select[tuple[int]]:
    same = (runs.c.repo_id == ref.repo_id) & (runs.c.sha == ref.sha) & (runs.c.attempt == ref.attempt)
    return select(runs.c.repo_id).where(same, runs.c.state.in_(UNFINISHED))


def _is(ref: RunRef) -> Any:
    return (turns.c.repo_id == ref.repo_id) & (turns.c.sha == ref.sha) & (turns.c.attempt == ref.attempt)
