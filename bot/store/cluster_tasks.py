"""Tasks that one worker's run offers to other workers: each is a row, taken by a worker with free capacity and kept as
long as the run."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    Integer,
    String,
    Table,
    Text,
    false,
    or_,
    select,
    update,
)

from bot.store.database import Database, insert_new
from bot.store.tables import metadata
from bot.store.taken import give_back

cluster_tasks = Table(
    "cluster_tasks",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("sha", String(64), primary_key=True),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("cluster", String(150), primary_key=True),
    Column("body", Text, nullable=False),
    Column("taken_by", String(200)),
    Column("starts", Integer, nullable=False),
    Column("over", Boolean, nullable=False),
    Column("made_at", Float, nullable=False),
)


class TaskKey(NamedTuple):
    """Identifies a task: an attempt of a run, and one of its clusters."""

    repo_id: int
    sha: str
    attempt: int
    cluster: str


class TakenTask(NamedTuple):
    """A task to work on now, for the `starts`th time."""

    key: TaskKey
    starts: int


_FREE = ~cluster_tasks.c.over & cluster_tasks.c.taken_by.is_(None)


class ClusterTaskRows:
    """Tasks of all runs. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._db = database
        self._now = now

    async def ask(self, key: TaskKey, body: str) -> None:
        """Adds the task to the queue. Adding it again has no effect."""
        row = {**key._asdict(), "body": body, "starts": 0, "over": False, "made_at": self._now()}
        async with self._db.write() as connection:
            await connection.execute(insert_new(connection, cluster_tasks, row))

    async def take(self, worker: str, most: int, in_hand: Collection[TaskKey], of_a_run: int) -> tuple[TakenTask, ...]:
        """Assigns at most `most` tasks to the worker, oldest first. Together with those `in_hand` it gets no more than
        `of_a_run` tasks of one run; the rest is left for other workers."""
        query = select(cluster_tasks).where(_FREE).order_by(cluster_tasks.c.made_at)
        if await self._db.look(lambda connection: connection.execute(query.limit(1)).first()) is None:
            return ()  # called all the time: avoid the write lock

        def take(connection: Connection) -> tuple[TakenTask, ...]:
            rows = connection.execute(query).mappings()
            free = [TakenTask(_key(row), row["starts"] + 1) for row in rows]
            taken = tuple(_share(free, most, in_hand, of_a_run))
            for task in taken:
                mine = {"taken_by": worker, "starts": task.starts}
                connection.execute(update(cluster_tasks).where(_is(task.key)).values(**mine))
            return taken

        return await self._db.run_transaction(take)

    async def give_back(self, worker: str, in_hand: Collection[TaskKey]) -> int:
        """Frees tasks that no worker works on (see `taken.give_back`)."""
        held = ~cluster_tasks.c.over & cluster_tasks.c.taken_by.is_not(None)
        return await give_back(self._db, cluster_tasks, worker, held, or_(false(), *map(_is, in_hand)))

    async def end(self, key: TaskKey) -> None:
        """Marks the task as over, whether it succeeded or not."""
        async with self._db.write() as connection:
            await connection.execute(update(cluster_tasks).where(_is(key)).values(over=True))

    async def body(self, key: TaskKey) -> str | None:
        """Returns the task's body; None if the run was deleted."""
        query = select(cluster_tasks.c.body).where(_is(key))
        row = await self._db.look(lambda connection: connection.execute(query).first())
        return None if row is None else str(row.body)

    async def over(self, key: TaskKey) -> bool:
        """Whether the task is over or deleted."""
        query = select(cluster_tasks.c.over).where(_is(key), ~cluster_tasks.c.over)
        return await self._db.look(lambda connection: connection.execute(query).first()) is None


def _share(free: Iterable[TakenTask], most: int, in_hand: Collection[TaskKey], of_a_run: int) -> Iterable[TakenTask]:
    counted = Counter(key[:3] for key in in_hand)
    for task in free:
        if most > 0 and counted[task.key[:3]] < of_a_run:
            most -= 1
            counted[task.key[:3]] += 1
            yield task


def _key(row: Any) -> TaskKey:
    return TaskKey(row["repo_id"], row["sha"], row["attempt"], row["cluster"])


def _is(key: TaskKey) -> ColumnElement[bool]:
    table = cluster_tasks.c
    run = (table.repo_id == key.repo_id) & (table.sha == key.sha) & (table.attempt == key.attempt)
    return run & (table.cluster == key.cluster)
