"""Webhook deliveries, and forms of the dashboard: the row is the inbox and the outbox; stored before the sender is
answered."""

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
from bot.store.counters import Count, add_at_once
from bot.store.database import Database
from bot.store.metric_names import RECEIVED
from bot.store.prepared import Prepared
from bot.store.tables import metadata
from bot.store.taken import give_back
from bot.store.together import Together
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

DASHBOARD = "dashboard"  # the `event` of a row that no webhook brought: somebody sent a form of Heal's own
DeliveryState = Literal["stored", "queued", "done", "failed"]


class TakenDelivery(NamedTuple):
    """A delivery to be processed now, for the `starts`th time."""

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
    """Every delivery that was acknowledged. Bodies of done ones are dropped: nobody reads them again."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._storing = Together(self._store)  # a storm waits for the disk together
        self._ending = Together(self._end)

    async def store(self, guid: str, event: str, body: bytes, now: float) -> bool:
        """Keeps a delivery durably. False if it was seen before, unless its processing had failed: then it is kept
        again."""
        row = {"guid": guid, "event": event, "body": body, "received_at": now, "state": "stored", "error": ""}
        return await self._storing.add({**row, "due": now, "begun": 0})

    async def _store(self, rows: list[dict[str, object]]) -> list[bool]:
        return await self._db.at_once(lambda connection: _keep_all(connection, rows), first=True)

    async def get(self, guid: str) -> Delivery | None:
        query = select(*_COLUMNS).where(deliveries.c.guid == guid)
        row = await self._db.look(lambda connection: connection.execute(query).mappings().first())
        return None if row is None else Delivery.model_validate(dict(row))

    async def waiting(self, *states: DeliveryState) -> tuple[Delivery, ...]:
        """Deliveries in one of `states`, oldest first, without their bodies."""
        columns = [column for column in _COLUMNS if column.name != "body"]
        query = select(*columns).where(deliveries.c.state.in_(states)).order_by(deliveries.c.received_at)
        async with self._db.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(Delivery.model_validate({**row, "body": b""}) for row in rows)

    async def take(self, worker: str, most: int, now: float) -> tuple[TakenDelivery, ...]:
        """Gives the worker at most so many that are stored and due, the longest due first; nobody else gets them."""
        due = (deliveries.c.state == "stored") & (deliveries.c.due <= now)
        found = select(deliveries.c.guid, deliveries.c.begun + 1).where(due).order_by(deliveries.c.due).limit(most)
        if await self._db.look(lambda connection: connection.execute(found.limit(1)).first()) is None:
            return ()  # it is asked all the time

        def take(connection: Connection) -> tuple[TakenDelivery, ...]:
            taken = tuple(TakenDelivery(*row) for row in connection.execute(found))
            these = deliveries.c.guid.in_([one.key for one in taken])
            mine = {"state": "queued", "taken_by": worker, "begun": deliveries.c.begun + 1}
            connection.execute(update(deliveries).where(these).values(**mine))
            return taken

        return await self._db.at_once(take)

    async def give_back(self, worker: str, at_work: Collection[str]) -> int:
        """Stores again what was taken and nobody is at work on: the worker itself, unless it is one of `at_work`, and
        workers that don't live. Gives how many."""
        held, in_hand = deliveries.c.state == "queued", deliveries.c.guid.in_(at_work)
        return await give_back(self._db, deliveries, worker, held, in_hand, state="stored")

    async def later(self, guid: str, due: float) -> None:
        """To be processed again, at that time (Unix, seconds)."""
        await self._move(guid, {"state": "stored", "taken_by": None, "due": due})

    async def done(self, guid: str) -> None:
        await self._ending.add(guid)

    async def _end(self, guids: list[str]) -> list[None]:
        over = {"state": "done", "body": b"", "error": ""}
        these = update(deliveries).where(deliveries.c.guid.in_(guids)).values(**over)
        await self._db.at_once(lambda connection: connection.execute(these))
        return [None] * len(guids)

    async def failed(self, guid: str, error: str) -> None:
        await self._move(guid, {"state": "failed", "error": hide_tokens(error)[:2000]})

    async def forget(self, before: float) -> int:
        """Deletes what was received before that time (Unix, seconds) and is over, well or badly: GitHub redelivers only
        what is younger. Gives how many."""
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
    """A new delivery, or again one whose processing has failed; gives its tries, nothing where it was seen before."""
    made = insert(deliveries)
    renewed = {name: made.excluded[name] for name in ("event", "body", "received_at", "state", "error", "due", "begun")}
    failed = {"set_": {**renewed, "tries": deliveries.c.tries + 1}, "where": deliveries.c.state == "failed"}
    return made.on_conflict_do_update(index_elements=["guid"], **failed).returning(deliveries.c.tries)


_KEEP = Prepared(_keep)
