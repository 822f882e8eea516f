"""A working process: the store, the engine and the contexts of the handlers, wired together."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bot.contexts import Clock, Contexts, MakeHealer
from bot.durable.engine import DurableEngine, SharedClusterTasks
from bot.durable.inbox import Inbox
from bot.durable.taking_over import SilentWorkerWatch, taking_over
from bot.durable.work import Work
from bot.lease import Lease, end_process, hold_lease
from bot.runs.healers import RealHealers, real_healers
from bot.settings import Settings
from bot.store.beats import WORKER, Heartbeat
from bot.store.cluster_tasks import ClusterTaskRows
from bot.store.database import Database
from bot.store.run_queue import RunLimits
from bot.store.sole_worker import sole_worker
from bot.store.workers import Workers
from bot.tracing import tracing


@dataclass(frozen=True)
class Machine:
    """All parts of a working process. `healers` is None if a test supplies its own."""

    database: Database
    contexts: Contexts
    work: Work
    inbox: Inbox
    queue: DurableEngine
    beats: Heartbeat
    healers: RealHealers | None
    lease: Lease


@asynccontextmanager
async def open_machine(
    settings: Settings,
    queue: DurableEngine,
    make_healer: MakeHealer | None = None,
    now: Clock = time.time,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    longest_wait: float | None = 0.0,
    end: Callable[[], None] = end_process,
) -> AsyncIterator[Machine]:
    """Opens and wires everything, launches the engine, and continues unfinished work. Waits at most `longest_wait`
    seconds (None: without limit) for another worker in this folder to end. `end` is called when this worker loses its
    lease. Raises UserError."""
    async with AsyncExitStack() as stack:
        stack.enter_context(tracing())
        database = await Database.open(settings.store_url)
        stack.push_async_callback(database.close)
        workers = Workers(database, now)
        await stack.enter_async_context(sole_worker(settings, longest_wait))
        holding = hold_lease(database, workers, queue.worker, settings.take_over_seconds, end)
        lease = await stack.enter_async_context(holding)
        real = real_healers(settings)
        stack.push_async_callback(real.close)
        if make_healer is None:
            await real.open()
        shared = SharedClusterTasks(ClusterTaskRows(database, now), workers) if database.is_server else None
        contexts = Contexts(settings, database, queue, make_healer or real, now, sleep, lease, shared)
        limits = RunLimits(settings.runs_of_a_repo, settings.runs_in_all)
        work = Work(database, contexts, settings.quiet_seconds, limits)
        queue.bind(work, real.warm_up if make_healer is None else None)
        stack.push_async_callback(queue.close)
        await work.ask_turns()
        await queue.launch()
        if database.is_server:
            await stack.enter_async_context(taking_over(SilentWorkerWatch(workers, lease)))
        inbox = Inbox(work.deliveries, now, queue.notify)
        healers = real if make_healer is None else None
        yield Machine(database, contexts, work, inbox, queue, Heartbeat(database, WORKER, now), healers, lease)
