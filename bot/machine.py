"""What works: the store, the durable engine and the worlds of the handlers, put together and open."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bot.direct import DirectQueue
from bot.healers import RealHealers, real_healers
from bot.inbox import Inbox
from bot.settings import Settings
from bot.store.beats import Beats
from bot.store.database import Database
from bot.store.sole_worker import Still, sole_worker
from bot.tracing import tracing
from bot.work import Work
from bot.workflows import DurableQueue
from bot.world import Clock, MakeHealer, Worlds

WORKER = "worker"  # the part that beats


@dataclass(frozen=True)
class Machine:
    """All parts of a process that works. `healers` is None where a test brings its own."""

    database: Database
    worlds: Worlds
    work: Work
    inbox: Inbox
    queue: DurableQueue | DirectQueue
    beats: Beats
    healers: RealHealers | None
    still: Still  # whether this is still the one worker of the database


@asynccontextmanager
async def open_machine(
    settings: Settings,
    queue: DurableQueue | DirectQueue,
    make_healer: MakeHealer | None = None,
    now: Clock = time.time,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    patience: float | None = 0.0,
) -> AsyncIterator[Machine]:
    """Opens and wires everything; with a DurableQueue it is launched, and unfinished work goes on. `patience` is how
    long to wait for another worker's end, in seconds (None: as long as it takes). Raises UserError."""
    async with AsyncExitStack() as stack:
        stack.enter_context(tracing())
        database = await Database.open(settings.store_url)
        stack.push_async_callback(database.close)
        still: Still = _always
        if isinstance(queue, DurableQueue):
            still = await stack.enter_async_context(sole_worker(settings, database, patience))
        real = real_healers(settings)
        stack.push_async_callback(real.close)
        if make_healer is None:
            await real.open()
        worlds = Worlds(settings, database, queue, make_healer or real, now, sleep)
        work = Work(database, worlds, settings.quiet_seconds)
        queue.bind(work)
        if isinstance(queue, DurableQueue):
            stack.push_async_callback(queue.close)
            await queue.launch()
        inbox = Inbox(work.deliveries, queue, now)
        await inbox.sweep(at_start=True)
        healers = real if make_healer is None else None
        yield Machine(database, worlds, work, inbox, queue, Beats(database, WORKER, now), healers, still)


async def _always() -> bool:
    return True
