"""`heal serve`: the GitHub App itself: webhooks in, healing in the same process (OP-2, embedded)."""

import socket
from typing import Annotated

import typer

from bot.cli.shell import EXIT_HEALTHY
from handlers.errors import UserError

WebOnly = Annotated[bool, typer.Option("--web-only", help="Only take webhooks: `heal worker` does the rest.")]


def serve(web_only: WebOnly = False) -> int:
    """Run the GitHub App: take webhooks and heal. Its settings are environment variables, see docs/operating.md.

    Example: HEAL_APP_ID=1 HEAL_PRIVATE_KEY=app.pem HEAL_WEBHOOK_SECRET=… heal serve
    """
    from bot.settings import read_settings

    settings = read_settings(need_app=True)
    _free(settings.host, settings.port)

    import uvicorn

    from bot.app import create_app, create_web
    from bot.logs import configure_logs

    configure_logs()
    app = create_web(settings) if web_only else create_app(settings)
    uvicorn.run(app, host=settings.host, port=settings.port, log_config=None, server_header=False)
    return EXIT_HEALTHY


def _free(host: str, port: int) -> None:
    """Raises UserError where nobody can listen there: the server itself would only log it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError(f"{host}:{port} can't be listened on: {why}. Set HEAL_HOST or HEAL_PORT") from error
