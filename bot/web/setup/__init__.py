"""/setup: registers the GitHub App from app.yml and stores its secrets, once, before Heal starts working."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.settings import Settings
from bot.store.database import Database
from bot.web.answers import Pages, asset
from bot.web.health import healthz
from bot.web.limits import RequestLimits
from bot.web.setup.pages import SetUp

WAITING = (
    "No GitHub App yet. Open the address that `heal serve` printed when it started, or set HEAL_APP_ID and the rest."
)
KEPT_SECONDS = 3600


def create_setup(settings: Settings, token: str, done: Callable[[], None], now: Callable[[], float]) -> Starlette:
    """Returns the ASGI app of the set-up. `token` opens it, once; `done` is called when the App is registered."""
    pages = Pages()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        database = await Database.open(settings.store_url)
        try:
            app.router.routes.extend(SetUp(settings, database, pages, token, done, now).routes())
            yield
        finally:
            await database.close()

    async def waiting(_request: Request) -> Response:
        return pages.problem(503, "Heal is not set up yet", WAITING)

    async def readyz(_request: Request) -> Response:
        return JSONResponse({"ready": False, "problems": {"app": WAITING}, "notes": {}}, 503)

    async def kept_asset(request: Request) -> Response:
        """Serves an asset for longer: when the last page loads, this server ends and Heal's own has yet to begin."""
        answer = await asset(request)
        if answer.status_code == 200:
            answer.headers["Cache-Control"] = f"max-age={KEPT_SECONDS}"
        return answer

    routes = [
        Route("/healthz", healthz),
        Route("/readyz", readyz),
        Route("/assets/{name}", kept_asset),
        Route("/", waiting),
    ]
    return Starlette(routes=routes, middleware=[Middleware(RequestLimits, now=now)], lifespan=lifespan)
