"""What was counted since Heal began: it only grows, also where a repository is forgotten, and names none.

A count belongs to the transaction that makes it true, so a crash neither loses nor repeats it.
"""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Column, Connection, Float, String, Table, select

from bot.store.database import Database
from bot.store.metric_names import Metric
from bot.store.prepared import Prepared
from bot.store.tables import metadata

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

counters = Table(
    "counters",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("labels", String(400), primary_key=True),  # JSON: the labels' values in the metric's order
    Column("value", Float, nullable=False),
)

SUM = "sum"  # beside a histogram's buckets, which are named by their place


class Count(NamedTuple):
    """So much more of a metric; a histogram's `value` is one observation in seconds."""

    metric: Metric
    labels: tuple[str, ...] = ()
    value: float = 1.0


async def add(connection: "AsyncConnection", counts: Iterable[Count]) -> None:
    """Adds them, inside the caller's transaction."""
    await connection.run_sync(add_at_once, counts)


def add_at_once(connection: Connection, counts: Iterable[Count]) -> None:
    """The same for a connection that is not awaited."""
    rows: dict[tuple[str, str], float] = {}
    for count in counts:
        for labels, value in _rows(count):
            key = (count.metric.name, labels)
            rows[key] = rows.get(key, 0.0) + value
    _write(connection, rows, adding=True)


async def put(connection: "AsyncConnection", counts: Iterable[Count]) -> None:
    """Sets gauges that no table tells."""
    values = {(c.metric.name, _key(list(c.labels))): c.value for c in counts}
    await connection.run_sync(_write, values, adding=False)


async def counted(database: Database) -> dict[str, dict[tuple[str, ...], float]]:
    """Name → values of the labels → value. A histogram's buckets have their number as a last label, from 0, and its
    sum has `SUM`."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    async with database.read() as connection:
        for row in await connection.execute(select(counters)):
            found.setdefault(row.name, {})[tuple(json.loads(row.labels))] = float(row.value)
    return found


def _rows(count: Count) -> Iterable[tuple[str, float]]:
    words = [label[:100] for label in count.labels]
    if count.metric.kind != "histogram":
        return ((_key(words), count.value),)
    bucket = bisect_left(count.metric.bounds, count.value)
    return ((_key([*words, str(bucket)]), 1.0), (_key([*words, SUM]), count.value))


def _key(words: list[str]) -> str:
    return json.dumps(words, separators=(",", ":"), ensure_ascii=False)


def _write(connection: Connection, rows: Mapping[tuple[str, str], float], adding: bool) -> None:
    for (name, labels), value in sorted(rows.items()):
        (_ADD if adding else _PUT).run(connection, {"name": name, "labels": labels, "value": value})


def _upsert(insert: Callable[..., Any], adding: bool) -> Any:
    made = insert(counters)
    value = counters.c.value + made.excluded.value if adding else made.excluded.value
    return made.on_conflict_do_update(index_elements=["name", "labels"], set_={"value": value})


_ADD, _PUT = Prepared(partial(_upsert, adding=True)), Prepared(partial(_upsert, adding=False))
