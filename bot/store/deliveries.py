"""Webhook deliveries and forms of the dashboard: a table that is both inbox and work queue. Rows are stored before the
sender gets a response."""

from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, Literal, NamedTuple

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    delete,
    select,
    update,
)

from bot.secrets import hide_tokens
from bot.store.batch_writer import BatchWriter
from bot.store.counters import Count, add_at_once
from bot.store.database import Database
from bot.store.metric_names import RECEIVED
from bot.store.prepared import CompiledStatement
from bot.store.tables import metadata
from bot.store.taken import give_back
from healing.model import Frozen

deliveries = Table(
    "deliveries",
    metadata,
    Column("guid", String(64), primary_key=True),
    Column("event", String(100), nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("received_at", Float, nullable=False),
    Column("state", String(10), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("error", Text, nullable=False),
    Column("taken_by", String(200)),
    Column("due", Float, nullable=False, server_default="0"),
    Column("begun", Integer, nullable=False, server_default="0"),
    Index("deliveries_due", "state", "due"),
)

DASHBOARD = "dashboard"  # the `event` of a row that is no webhook but a form sent from Heal's dashboard
DeliveryState = Literal["stored", "queued", "done", "failed"]


class TakenDelivery(NamedTuple):
    """A delivery to process now, for the `starts`th time."""

    key: str
    starts: int


class Delivery(Frozen):
    """One delivery; `tries` counts redeliveries after a failure, from 1."""

    guid: str
    event: str
    body: bytes
    received_at: float
    state: DeliveryState
    tries: int
    error: str


_COLUMNS = [deliveries.c[name] for name in Delivery.model_fields]


class Deliveries:
    """All acknowledged deliveries. The body of a delivery is dropped once it is done: it isn't needed again."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._storing = BatchWriter(self._store)  # a burst of deliveries shares one commit
        self._ending = BatchWriter(self._end)

    async def store(self, guid: str, event: str, body: bytes, now: float) -> bool:
        """Stores a delivery durably. Returns False if it was seen before, unless its processing failed: then it is
        stored again."""
        row = {"guid": guid, "event": event, "body": body, "received_at": now, "state": "stored", "error": ""}
        return await self._storing.add({**row, "due": now, "begun": 0})

    async def _store(self, rows: list[dict[str, object]]) -> list[bool]:
        return await self._db.run_transaction(lambda connection: _keep_all(connection, rows), first=True)

    async def get(self, guid: str) -> Delivery | None:
        query = select(*_COLUMNS).where(deliveries.c.guid == guid)
        row = await self._db.look(lambda connection: connection.execute(query).mappings().first())
        return None if row is None else Delivery.model_validate(dict(row))

    async def waiting(self, *states: DeliveryState) -> tuple[Delivery, ...]:
        """Returns deliveries in one of `states`, oldest first, without their bodies."""
        columns = [column for column in _COLUMNS if column.name != "body"]
        query = select(*columns).where(deliveries.c.state.in_(states)).order_by(deliveries.c.received_at)
        async with self._db.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(Delivery.model_validate({**row, "body": b""}) for row in rows)

    async def take(self, worker: str, most: int, now: float) -> tuple[TakenDelivery, ...]:
        """Assigns at most `most` stored and due deliveries to this worker alone, the longest due first."""
        due = (deliveries.c.state == "stored") & (deliveries.c.due <= now)
        ready = select(deliveries.c.guid, deliveries.c.begun + 1).where(due).order_by(deliveries.c.due).limit(most)
        if await self._db.look(lambda connection: connection.execute(ready.limit(1)).first()) is None:
            return ()  # called all the time: avoid the write lock

        def take(connection: Connection) -> tuple[TakenDelivery, ...]:
            taken = tuple(TakenDelivery(*row) for row in connection.execute(ready))
            these = deliveries.c.guid.in_([delivery.key for delivery in taken])
            mine = {"state": "queued", "taken_by": worker, "begun": deliveries.c.begun + 1}
            connection.execute(update(deliveries).where(these).values(**mine))
            return taken

        return await self._db.run_transaction(take)

    async def give_back(self, worker: str, at_work: Collection[str]) -> int:
        """Returns to `stored` what was taken but isn't processed: by this worker, unless it is one of `at_work`, or by
        a worker that is dead. Returns how many."""
        held, in_hand = deliveries.c.state == "queued", deliveries.c.guid.in_(at_work)
        return await give_back(self._db, deliveries, worker, held, in_hand, state="stored")

    async def later(self, guid: str, due: float) -> None:
        """Schedules the delivery to be processed again at `due` (Unix, seconds)."""
        await self._move(guid, {"state": "stored", "taken_by": None, "due": due})

    async def done(self, guid: str) -> None:
        await self._ending.add(guid)

    async def _end(self, guids: list[str]) -> list[None]:
        over = {"state": "done", "body": b"", "error": ""}
        these = update(deliveries).where(deliveries.c.guid.in_(guids)).values(**over)
        await self._db.run_transaction(lambda connection: connection.execute(these))
        return [None] * len(guids)

    async def failed(self, guid: str, error: str) -> None:
        await self._move(guid, {"state": "failed", "error": hide_tokens(error)[:2000]})

    async def forget(self, before: float) -> int:
        """Deletes finished and failed deliveries received before that time (Unix, seconds): GitHub redelivers only
        younger ones. Returns how many."""
        over = deliveries.c.state.in_(("done", "failed")) & (deliveries.c.received_at < before)
        async with self._db.write() as connection:
            return int((await connection.execute(delete(deliveries).where(over))).rowcount)

    async def _move(self, guid: str, values: dict[str, object]) -> None:
        async with self._db.write() as connection:
            await connection.execute(update(deliveries).where(deliveries.c.guid == guid).values(**values))


def _keep_all(connection: Connection, rows: list[dict[str, object]]) -> list[bool]:
    tries = [_KEEP.run(connection, {**row, "tries": 1}) for row in rows]
    new = Counter(str(row["event"]) for row, kept in zip(rows, tries, strict=True) if kept == (1,))
    add_at_once(connection, [Count(RECEIVED, (event,), number) for event, number in new.items()])
    return [kept is not None for kept in tries]


def _keep(insert: Callable[..., Any]) -> Any:
    """Inserts a new delivery, or updates one whose processing failed; returns its `tries`, or no row if it was seen
    before."""
    row = insert(deliveries)
    renewed = {name: row.excluded[name] for name in ("event", "body", "received_at", "state", "error", "due", "begun")}
    failed = {"set_": {**renewed, "tries": deliveries.c.tries + 1}, "where": deliveries.c.state == "failed"}
    return row.on_conflict_do_update(index_elements=["guid"], **failed).returning(deliveries.c.tries)


_KEEP = CompiledStatement(_keep)
