"""The web process: receives webhooks, and also runs the worker unless another process does."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from starlette.middleware import Middleware
from starlette.routing import Route

from bot.durable.inbox import Inbox
from bot.settings import Settings
from bot.store.beats import WORKER, Heartbeat
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from bot.watching.readiness import Readiness
from bot.web.front import WEBHOOK, Front
from bot.web.health import Readyz, healthz
from bot.web.limits import RequestLimits
from bot.web.metrics import Metrics
from bot.web.missing import not_found
from bot.web.site import site
from bot.web.webhook import Webhook

if TYPE_CHECKING:
    from bot.contexts import MakeHealer
    from bot.durable.engine import DurableEngine

Clock = Callable[[], float]
RESTART_SECONDS = 30.0  # how long the previous process may take to end


def create_app(
    settings: Settings,
    queue: "DurableEngine | None" = None,
    make_healer: "MakeHealer | None" = None,
    now: Clock = time.time,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Front:
    """Returns the ASGI app with an embedded worker. `app.state.machine` is the Machine during its lifespan. Without
    `queue` it creates its own engine."""

    @asynccontextmanager
    async def lifespan(app: Front) -> AsyncIterator[None]:
        from bot.durable.engine import DurableEngine
        from bot.machine import open_machine
        from bot.maintenance.loop import run_maintenance

        chosen = queue or DurableEngine(settings.worker, settings.runs_at_once)
        async with open_machine(settings, chosen, make_healer, now, sleep, RESTART_SECONDS) as machine:
            app.state.machine = machine
            readiness = Readiness(machine.database, settings.data, machine.beats, machine.healers, works=True)
            _open_routes(app, settings, machine.inbox, readiness, now)
            async with run_maintenance(machine, settings.keep_days):
                yield

    return _front(lifespan, now)


def create_web(settings: Settings, now: Clock = time.time) -> Front:
    """Returns the ASGI app that only stores deliveries, for a worker on the same database. It doesn't import the
    worker's modules, which would take a third of its memory."""

    @asynccontextmanager
    async def lifespan(app: Front) -> AsyncIterator[None]:
        database = await Database.open(settings.store_url)
        try:
            readiness = Readiness(database, settings.data, Heartbeat(database, WORKER, now), healers=None, works=False)
            _open_routes(app, settings, Inbox(Deliveries(database), now, None), readiness, now)
            yield
        finally:
            await database.close()

    return _front(lifespan, now)


def _front(lifespan: Callable[[Front], AbstractAsyncContextManager[None]], now: Clock) -> Front:
    limits, missing = [Middleware(RequestLimits, now=now)], {404: not_found}
    return Front(routes=[Route("/healthz", healthz)], middleware=limits, exception_handlers=missing, lifespan=lifespan)


def _open_routes(app: Front, settings: Settings, inbox: Inbox, readiness: Readiness, now: Clock) -> None:
    app.webhook = Webhook(inbox, settings.webhook_secret.get_secret_value())
    pages = site(settings, readiness.database, inbox, now)
    app.state.missing = pages.missing
    app.router.routes.extend(pages.routes)
    app.router.routes.append(Route(WEBHOOK, app.webhook, methods=["POST"]))
    app.router.routes.append(Route("/readyz", Readyz(readiness).get))
    app.router.routes.append(Route("/metrics", Metrics(readiness.database, settings.metrics_token, now).get))
