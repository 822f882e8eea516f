"""Reads the numbers from the database: whichever process is asked gives the same answer, and none has to be up."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store import metric_names as names
from bot.store.beats import WORKER, beats
from bot.store.counters import SUM, counted
from bot.store.database import Database
from bot.store.deliveries import deliveries
from bot.store.metric_names import Metric
from bot.store.proposals import proposals
from bot.store.runs import runs
from bot.store.workers import live_sessions

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric as Family

Values = dict[tuple[str, ...], float]
WAITING = ("stored", "queued")
UNFINISHED = ("gathering", "running")


async def collect(database: Database, now: Callable[[], float]) -> "list[Family]":
    """Every metric with what it is now. Raises SQLAlchemyError."""
    found: dict[str, Values] = dict(await counted(database))
    async with database.read() as connection:
        found[names.RUNS.name] = await _by(connection, runs.c.state)
        found[names.PROPOSALS.name] = await _by(connection, proposals.c.status)
        found[names.DELIVERIES.name] = await _by(connection, deliveries.c.state)
        found |= await _queue(connection, now())
        found[names.WORKERS.name] = {(): float(len(await live_sessions(connection)))}
        beaten = (await connection.execute(select(beats.c.beaten_at).where(beats.c.part == WORKER))).scalar()
    found[names.SILENCE.name] = {(): float("inf") if beaten is None else max(now() - beaten, 0.0)}
    found[names.CACHE_SHARE.name] = cache_share(found.get(names.TOKENS.name, {}))
    return [_family(metric, found.get(metric.name, {})) for metric in names.ALL]


async def _by(connection: AsyncConnection, column: Column[Any]) -> Values:
    rows = await connection.execute(select(column, func.count()).group_by(column))
    return {(str(state),): float(count) for state, count in rows}


async def _queue(connection: AsyncConnection, now: float) -> dict[str, Values]:
    """What waits, and since when."""
    depth: Values = {}
    oldest: Values = {}
    for of, time, state, which in (
        ("deliveries", deliveries.c.received_at, deliveries.c.state, WAITING),
        ("runs", runs.c.opened_at, runs.c.state, UNFINISHED),
    ):
        row = (await connection.execute(select(func.count(), func.min(time)).where(state.in_(which)))).one()
        depth[of,] = float(row[0])
        oldest[of,] = 0.0 if row[1] is None else max(now - row[1], 0.0)
    return {names.QUEUE_DEPTH.name: depth, names.QUEUE_OLDEST.name: oldest}


def cache_share(tokens: Values) -> Values:
    """Of each model, from its counted tokens."""
    shares: Values = {}
    for model in {labels[0] for labels in tokens}:
        read, *others = (tokens.get((model, kind), 0.0) for kind in ("cache_read", "cache_write", "input"))
        if total := read + sum(others):
            shares[model,] = read / total
    return shares


def _family(metric: Metric, values: Values) -> "Family":
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

    if metric.kind == "histogram":
        timed = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
        for labels, buckets, total in _histograms(metric, values):
            timed.add_metric(labels, buckets, total)
        return timed
    make = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family = make(metric.name.removesuffix("_total"), metric.help, labels=metric.labels)
    if not metric.labels:
        values = values or {(): 0.0}
    for labels, value in sorted(values.items()):
        family.add_metric(labels, value)
    return family


def _histograms(metric: Metric, values: Values) -> Iterator[tuple[tuple[str, ...], list[tuple[str, float]], float]]:
    """(labels, cumulated buckets, sum) for each series."""
    for series in sorted({labels[:-1] for labels in values}):
        so_far, buckets = 0.0, []
        for number, bound in enumerate((*metric.bounds, float("inf"))):
            so_far += values.get((*series, str(number)), 0.0)
            buckets.append((str(float(bound)).replace("inf", "+Inf"), so_far))
        yield series, buckets, values.get((*series, SUM), 0.0)
