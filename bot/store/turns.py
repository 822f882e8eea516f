"""Whose turn it is to be healed: one run of a lane at a time, so many of a repository, and nobody is starved."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Integer,
    Select,
    String,
    Table,
    delete,
    exists,
    func,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.durable.attempts import RunRef
from bot.store.database import Database, insert_new
from bot.store.runs import failures, runs, settled_suites
from bot.store.tables import metadata
from handlers.ports import UNFINISHED

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
)


_same = (runs.c.repo_id == turns.c.repo_id) & (runs.c.sha == turns.c.sha) & (runs.c.attempt == turns.c.attempt)


@dataclass(frozen=True)
class Turn:
    """A run that may be healed. The smaller `due` is, the sooner."""

    ref: RunRef
    lane: str
    due: int
    begun: bool


@dataclass(frozen=True)
class RunLimits:
    """How many runs may have begun, on all workers together: of one repository, and in all (0: any number)."""

    of_a_repo: int = 4
    in_all: int = 0


class Turns:
    """Every run from the end of its gathering to its own end. A lane is held by the run that has begun, also while it
    waits for something; those behind it come in the order of their due times."""

    def __init__(self, database: Database, limits: RunLimits) -> None:
        self._db = database
        self._limits = limits

    async def ask(self, ref: RunRef, lane: str, now: float, waited_for: bool) -> None:
        """Puts the run into the order, once, unless it is over."""
        async with self._db.write() as connection:
            await ask_in(connection, ref, lane, now, waited_for)

    async def begin(self) -> tuple[Turn, ...]:
        """Lets every run begin that may, and gives them. Runs that are over are in nobody's way."""
        async with self._db.write() as connection:
            await connection.execute(delete(turns).where(~exists().where(_same, runs.c.state.in_(UNFINISHED))))
            fresh = tuple(_next(await _all(connection), self._limits))
            for turn in fresh:
                await connection.execute(update(turns).where(_is(turn.ref)).values(begun=True))
        return fresh

    async def begun(self) -> tuple[Turn, ...]:
        """All that have begun: who let them begin may have died before it started them."""
        async with self._db.read() as connection:
            return tuple(turn for turn in await _all(connection) if turn.begun)

    async def waiting(self) -> bool:
        """Whether any run waits for its turn."""
        async with self._db.read() as connection:
            return (await connection.execute(select(turns.c.sha).where(~turns.c.begun).limit(1))).first() is not None

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


async def ask_in(connection: AsyncConnection, ref: RunRef, lane: str, now: float, waited_for: bool) -> None:
    """`Turns.ask` in the caller's write. The run's due time is when it came, later for each run that its installation
    has there already (fair shares), sooner where a person waits for it: as it is a time, everybody's turn comes."""
    if (await connection.execute(_unfinished(ref))).first() is None:
        return
    mine = select(func.count()).select_from(turns).where(turns.c.installation_id == ref.installation_id)
    before = int((await connection.execute(mine)).scalar_one())
    due = now - EPOCH + SHARE_SECONDS * before + (0 if waited_for else PERSON_SECONDS)
    row = {**ref.model_dump(), "lane": lane, "due": max(1, int(due)), "begun": False}
    await connection.execute(insert_new(connection, turns, row))


async def _refs(connection: AsyncConnection, which: ColumnElement[bool]) -> tuple[RunRef, ...]:
    """The oldest first."""
    query = select(*(runs.c[name] for name in RunRef.model_fields)).where(which).order_by(runs.c.opened_at)
    return tuple(RunRef.model_validate(dict(row)) for row in (await connection.execute(query)).mappings())


async def _all(connection: AsyncConnection) -> list[Turn]:
    rows = (await connection.execute(select(turns).order_by(turns.c.due, turns.c.sha))).mappings().all()
    return [_turn(row) for row in rows]


def _next(everybody: list[Turn], limits: RunLimits) -> Iterable[Turn]:
    """Those that may begin now, in order."""
    room = (limits.in_all or len(everybody)) - sum(turn.begun for turn in everybody)
    lanes = {turn.lane for turn in everybody if turn.begun}
    repos = Counter(turn.ref.repo_id for turn in everybody if turn.begun)
    for turn in everybody:
        free = turn.lane not in lanes and repos[turn.ref.repo_id] < limits.of_a_repo
        if room > 0 and free and not turn.begun:
            room -= 1
            lanes.add(turn.lane)
            repos[turn.ref.repo_id] += 1
            yield turn


def _turn(row: Any) -> Turn:
    ref = RunRef.model_construct(**{name: row[name] for name in RunRef.model_fields})  # a thousand may be waiting
    return Turn(ref, row["lane"], row["due"], bool(row["begun"]))


def _unfinished(ref: RunRef) -> Select[tuple[int]]:
    same = (runs.c.repo_id == ref.repo_id) & (runs.c.sha == ref.sha) & (runs.c.attempt == ref.attempt)
    return select(runs.c.repo_id).where(same, runs.c.state.in_(UNFINISHED))


def _is(ref: RunRef) -> Any:
    return (turns.c.repo_id == ref.repo_id) & (turns.c.sha == ref.sha) & (turns.c.attempt == ref.attempt)
