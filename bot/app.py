"""The web process: opens the store, launches the engine, takes webhooks, and sweeps what was left behind."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.routing import Route

from bot.direct import DirectQueue
from bot.healers import real_healers
from bot.inbox import Inbox
from bot.settings import Settings
from bot.store.database import Database
from bot.web.health import Readiness, healthz
from bot.web.webhook import Webhook
from bot.work import Work
from bot.workflows import DurableQueue
from bot.world import Clock, MakeHealer, Worlds

SWEEP_SECONDS = 30.0

log = logging.getLogger("heal.app")


@dataclass(frozen=True)
class Machine:
    """All parts, put together and open."""

    database: Database
    worlds: Worlds
    work: Work
    inbox: Inbox
    queue: DurableQueue | DirectQueue

    async def problems(self) -> dict[str, str]:
        """What keeps it from taking work, one sentence a part."""
        try:
            async with asyncio.timeout(5), self.database.read() as connection:
                await connection.execute(text("SELECT 1"))
        except (SQLAlchemyError, TimeoutError, OSError) as error:
            return {"database": f"doesn't answer ({type(error).__name__}); is DATABASE_URL right, its disk full?"}
        return {}


@asynccontextmanager
async def open_machine(
    settings: Settings,
    queue: DurableQueue | DirectQueue,
    make_healer: MakeHealer | None = None,
    now: Clock = time.time,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncIterator[Machine]:
    """Opens and wires everything; with a DurableQueue it is launched, and unfinished work goes on."""
    database = await Database.open(settings.store_url)
    real = real_healers(settings)
    try:
        if make_healer is None:
            await real.open()
        worlds = Worlds(settings, database, queue, make_healer or real, now, sleep)
        work = Work(database, worlds, settings.quiet_seconds)
        queue.bind(work)
        if isinstance(queue, DurableQueue):
            await queue.launch()
        inbox = Inbox(work.deliveries, queue, now)
        await inbox.sweep(at_start=True)
        yield Machine(database, worlds, work, inbox, queue)
    finally:
        if isinstance(queue, DurableQueue):
            await queue.close()
        await real.close()
        await database.close()


def create_app(
    settings: Settings,
    queue: DurableQueue | DirectQueue | None = None,
    make_healer: MakeHealer | None = None,
    now: Clock = time.time,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Starlette:
    """The ASGI app. `app.state.machine` is the Machine while its lifespan lasts. Without `queue` the durable engine
    runs inside this process (OP-2, embedded)."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        chosen = queue or DurableQueue(settings.engine_url)
        async with open_machine(settings, chosen, make_healer, now, sleep) as machine:
            app.state.machine = machine
            webhook = Webhook(machine.inbox, settings.webhook_secret.get_secret_value())
            app.router.routes.append(Route("/webhook", webhook.post, methods=["POST"]))
            app.router.routes.append(Route("/readyz", Readiness(machine.problems).get))
            async with _sweeping(machine):
                yield

    return Starlette(routes=[Route("/healthz", healthz)], lifespan=lifespan)


@asynccontextmanager
async def _sweeping(machine: Machine) -> AsyncIterator[None]:
    async def sweep() -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                await machine.inbox.sweep()
            except SQLAlchemyError:
                log.exception("a sweep failed; the next one tries again")

    task = asyncio.create_task(sweep())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
