"""Runs that wait to be healed: one of a concurrency key at a time, so many of a repository, and nobody is starved."""

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

EPOCH = 1_767_225_600  # 2026-01-01: due times count from here, as the queue takes numbers of 31 bits only
SHARE_SECONDS = 60  # by which each run that an installation has already puts off its next one
PERSON_SECONDS = 1800  # by which somebody who waits goes before what nobody waits for

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
    """A run that waits. The smaller `due` is, the sooner; `begun`: it holds its concurrency key."""

    ref: RunRef
    concurrency_key: str
    due: int
    begun: bool
    free: bool
    starts: int


class TakenRun(NamedTuple):
    """A run to be healed now, for the `starts`th time."""

    key: RunRef
    starts: int


@dataclass(frozen=True)
class RunLimits:
    """How many runs may have begun, on all workers together: of one repository, and in all (0: any number)."""

    of_a_repo: int = 4
    in_all: int = 0


class RunQueue:
    """Every run from the end of its gathering to its own end. A concurrency key is held by the run that has begun,
    also while it waits for something; those behind it come in the order of their due times."""

    def __init__(self, database: Database, limits: RunLimits) -> None:
        self._db = database
        self._limits = limits

    async def enqueue(self, ref: RunRef, concurrency_key: str, now: float, waited_for: bool) -> None:
        """Puts the run into the order, once, unless it is over."""
        async with self._db.write() as connection:
            await enqueue_in(connection, ref, concurrency_key, now, waited_for)

    async def take(self, worker: str, most: int, now: float) -> tuple[TakenRun, ...]:
        """Gives the worker at most `most` runs that may be healed now; nobody else gets them. Runs that are over are in
        nobody's way."""

        def look(connection: Connection) -> tuple[QueueEntry, ...]:
            return tuple(_next(_all(connection, now), self._limits, most))

        def take(connection: Connection) -> tuple[TakenRun, ...]:
            connection.execute(delete(turns).where(~_WANTED))
            found = look(connection)
            for entry in found:
                mine = {"begun": True, "taken_by": worker, "starts": entry.starts + 1}
                connection.execute(update(turns).where(_is(entry.ref)).values(**mine))
            return tuple(TakenRun(entry.ref, entry.starts + 1) for entry in found)

        return await self._db.at_once(take) if await self._db.look(look) else ()  # it is asked all the time

    async def give_back(self, worker: str, in_hand: Collection[RunRef]) -> int:
        """Frees runs that nobody is at work on (`taken.give_back`)."""
        mine = or_(false(), *(_is(ref) for ref in in_hand))
        return await give_back(self._db, turns, worker, turns.c.taken_by.is_not(None), mine)

    async def later(self, ref: RunRef, not_before: float) -> None:
        """Frees the run, to be taken again from that time on (Unix, seconds); it keeps its concurrency key."""
        async with self._db.write() as connection:
            free = {"taken_by": None, "not_before": not_before}
            await connection.execute(update(turns).where(_is(ref)).values(**free))

    async def any(self) -> bool:
        """Whether a run gathers, or waits, or is being healed."""
        async with self._db.read() as connection:
            there = select(turns.c.sha).where(_WANTED).exists() | exists().where(runs.c.state == "gathering")
            return bool((await connection.execute(select(there))).scalar())

    async def missing(self) -> tuple[RunRef, ...]:
        """Runs whose gathering has ended, that are not over, and that are not in the order."""
        mine = exists().where(_same)
        async with self._db.read() as connection:
            return await _refs(connection, (runs.c.state == "running") & ~mine)

    async def gathered(self, now: float, quiet: float) -> tuple[RunRef, ...]:
        """Runs whose gathering may have to end: nothing new came for `quiet` seconds, or checks have settled."""
        same = (failures.c.repo_id == runs.c.repo_id) & (failures.c.sha == runs.c.sha)
        last = select(func.max(failures.c.received_at)).where(same, failures.c.attempt == runs.c.attempt)
        settled = (settled_suites.c.repo_id == runs.c.repo_id) & (settled_suites.c.sha == runs.c.sha)
        ripe = func.coalesce(last.scalar_subquery(), 0.0) <= now - quiet
        async with self._db.read() as connection:
            return await _refs(connection, (runs.c.state == "gathering") & (ripe | exists().where(settled)))

    async def end(self, ref: RunRef) -> None:
        """Nobody is at work on the run any more, however it went."""
        async with self._db.write() as connection:
            await connection.execute(delete(turns).where(_is(ref)))


async def enqueue_in(
    connection: AsyncConnection, ref: RunRef, concurrency_key: str, now: float, waited_for: bool
) -> None:
    """`RunQueue.enqueue` in the caller's write. The run's due time is when it came, later for each run that its
    installation has there already (fair shares), sooner where a person waits for it: as it is a time,
    every run is reached."""
    if (await connection.execute(_unfinished(ref))).first() is None:
        return
    mine = select(func.count()).select_from(turns).where(turns.c.installation_id == ref.installation_id)
    before = int((await connection.execute(mine)).scalar_one())
    due = now - EPOCH + SHARE_SECONDS * before + (0 if waited_for else PERSON_SECONDS)
    row = {**ref.model_dump(), "lane": concurrency_key, "due": max(1, int(due)), "begun": False}
    await connection.execute(insert_new(connection, turns, row))


async def _refs(connection: AsyncConnection, which: ColumnElement[bool]) -> tuple[RunRef, ...]:
    """The oldest first."""
    query = select(*(runs.c[name] for name in RunRef.model_fields)).where(which).order_by(runs.c.opened_at)
    return tuple(RunRef.model_validate(dict(row)) for row in (await connection.execute(query)).mappings())


_WANTED = exists().where(_same, runs.c.state.in_(UNFINISHED))


def _all(connection: Connection, now: float) -> list[QueueEntry]:
    """Those that are not over; what holds a concurrency key already first."""
    query = select(turns).where(_WANTED).order_by(turns.c.begun.desc(), turns.c.due, turns.c.sha)
    return [_entry(row, now) for row in connection.execute(query).mappings()]


def _next(everybody: list[QueueEntry], limits: RunLimits, most: int) -> Iterable[QueueEntry]:
    """Those that may be taken now, in order."""
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
    ref = RunRef.model_construct(**{name: row[name] for name in RunRef.model_fields})  # a thousand may be waiting
    free = row["taken_by"] is None and row["not_before"] <= now
    return QueueEntry(ref, row["lane"], row["due"], bool(row["begun"]), free, row["starts"])


def _unfinished(ref: RunRef) -> Select[tuple[int]]:
    same = (runs.c.repo_id == ref.repo_id) & (runs.c.sha == ref.sha) & (runs.c.attempt == ref.attempt)
    return select(runs.c.repo_id).where(same, runs.c.state.in_(UNFINISHED))


def _is(ref: RunRef) -> Any:
    return (turns.c.repo_id == ref.repo_id) & (turns.c.sha == ref.sha) & (turns.c.attempt == ref.attempt)
