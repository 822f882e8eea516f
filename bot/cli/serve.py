"""`heal serve`: runs the GitHub App: receives webhooks and repairs CI in the same process."""

import asyncio
import secrets
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.shell import EXIT_HEALTHY, put
from handlers.errors import UserError

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

    from bot.settings import Settings

EXIT_STARTUP = 3
SHUTDOWN_SECONDS = 5  # that open connections have to finish
WebOnly = Annotated[bool, typer.Option("--web-only", help="Only receive webhooks: `heal worker` does the rest.")]


def serve(web_only: WebOnly = False) -> int:
    """Run the GitHub App: receive webhooks and repair failed CI.

    Its settings are environment variables, see docs/operating.md. Where they name no App, it prints the
    address of a page that creates one, and uses that.

    Example: HEAL_APP_ID=1 HEAL_PRIVATE_KEY=app.pem HEAL_WEBHOOK_SECRET=… heal serve
    """
    from bot.keys.registration import is_untouched, read_app_settings, with_registered_app
    from bot.settings import read_settings

    settings = asyncio.run(with_registered_app(read_settings()))
    _require_free_port(settings.host, settings.port)

    from bot.watching.logs import configure_logs

    configure_logs()
    if is_untouched(settings) and not _set_up(settings):
        return EXIT_HEALTHY
    settings = asyncio.run(read_app_settings())

    from bot.app import create_app, create_web

    _run(_server(create_web(settings) if web_only else create_app(settings), settings))
    return EXIT_HEALTHY


def _set_up(settings: "Settings") -> bool:
    """Serves /setup until there is an App. Returns False if the process was stopped before."""
    from bot.web.setup import create_setup

    token, done = secrets.token_urlsafe(24), False

    def stop() -> None:
        nonlocal done
        done = server.should_exit = True

    put("No GitHub App yet. Open this address to create one; it works in one browser, until Heal stops:")
    put(f"{settings.site_url}/setup?token={token}")
    if not settings.public_url:
        put("GitHub will send its webhooks to that host. Set HEAL_PUBLIC_URL first if GitHub reaches Heal elsewhere.")
    server = _server(create_setup(settings, token, stop, time.time), settings)
    _run(server)
    return done


def _server(app: "Starlette", settings: "Settings") -> "uvicorn.Server":
    import uvicorn

    from bot.web.protocol import ServerConfig

    # One process, since otherwise uvicorn would take the number from WEB_CONCURRENCY, which is no setting of Heal's.
    config = ServerConfig(
        app,
        host=settings.host,
        port=settings.port,
        workers=1,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return uvicorn.Server(config)


def _run(server: "uvicorn.Server") -> None:
    """Serves until the process is stopped. Raises SystemExit if the server could not start; its log says why."""
    with suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        raise SystemExit(EXIT_STARTUP)


def _require_free_port(host: str, port: int) -> None:
    """Raises UserError if the address can't be listened on, which the server would only log."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError(f"{host}:{port} can't be listened on: {why}. Set HEAL_HOST or HEAL_PORT") from error
