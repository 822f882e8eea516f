"""Counters since Heal's first start: they only grow, even when a repository is deleted, and name no repository.

A count is written in the same transaction as the event it counts, so a crash neither loses nor repeats it.
"""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Column, Connection, Float, String, Table, select

from bot.store.database import Database
from bot.store.metric_names import Metric
from bot.store.prepared import CompiledStatement
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

SUM = "sum"  # label of a histogram's sum; its buckets are labelled by their index


class Count(NamedTuple):
    """An increment of a metric; a histogram's `value` is one observation in seconds."""

    metric: Metric
    labels: tuple[str, ...] = ()
    value: float = 1.0


async def add(connection: "AsyncConnection", counts: Iterable[Count]) -> None:
    """Adds the counts, inside the caller's transaction."""
    await connection.run_sync(add_at_once, counts)


def add_at_once(connection: Connection, counts: Iterable[Count]) -> None:
    """The same as `add` for a synchronous connection."""
    rows: dict[tuple[str, str], float] = {}
    for count in counts:
        for labels, value in _rows(count):
            key = (count.metric.name, labels)
            rows[key] = rows.get(key, 0.0) + value
    _write(connection, rows, adding=True)


async def put(connection: "AsyncConnection", counts: Iterable[Count]) -> None:
    """Sets gauges whose values can't be computed from a table."""
    values = {(c.metric.name, _key(list(c.labels))): c.value for c in counts}
    await connection.run_sync(_write, values, adding=False)


async def counted(database: Database) -> dict[str, dict[tuple[str, ...], float]]:
    """Returns metric name → label values → value. A histogram's buckets have their index (from 0) as last label, its
    sum has `SUM`."""
    values: dict[str, dict[tuple[str, ...], float]] = {}
    async with database.read() as connection:
        for row in await connection.execute(select(counters)):
            values.setdefault(row.name, {})[tuple(json.loads(row.labels))] = float(row.value)
    return values


def _rows(count: Count) -> Iterable[tuple[str, float]]:
    labels = [label[:100] for label in count.labels]
    if count.metric.kind != "histogram":
        return ((_key(labels), count.value),)
    bucket = bisect_left(count.metric.bounds, count.value)
    return ((_key([*labels, str(bucket)]), 1.0), (_key([*labels, SUM]), count.value))


def _key(words: list[str]) -> str:
    return json.dumps(words, separators=(",", ":"), ensure_ascii=False)


def _write(connection: Connection, rows: Mapping[tuple[str, str], float], adding: bool) -> None:
    for (name, labels), value in sorted(rows.items()):
        (_ADD if adding else _PUT).run(connection, {"name": name, "labels": labels, "value": value})


def _upsert(insert: Callable[..., Any], adding: bool) -> Any:
    statement = insert(counters)
    value = counters.c.value + statement.excluded.value if adding else statement.excluded.value
    return statement.on_conflict_do_update(index_elements=["name", "labels"], set_={"value": value})


_ADD, _PUT = CompiledStatement(partial(_upsert, adding=True)), CompiledStatement(partial(_upsert, adding=False))
