"""Heal's web process on a real port, read from as `heal serve` reads, with limits of the test's choice."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from bot.app import create_web
from bot.settings import Settings
from bot.web.protocol import ConnectionLimits, ServerConfig
from lab.localhub.server import Quiet, listen
from tests.bot.hooks import SECRET


@dataclass(frozen=True)
class WebServer:
    """A running server; `config` has what its connections share."""

    port: int
    config: ServerConfig
    server: Quiet

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self.server.server_state.connections)


@asynccontextmanager
async def web_server(
    folder: Path, limits: ConnectionLimits | None = None, send_buffer: int | None = None
) -> AsyncIterator[WebServer]:
    """Serves until the block ends. `send_buffer`: bytes of an answer that the kernel keeps for a client, about."""
    app, sock = create_web(Settings(data=folder, webhook_secret=SecretStr(SECRET))), listen("127.0.0.1", 0)
    if send_buffer is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)  # what is accepted inherits it
    config = ServerConfig(app, limits, lifespan="off")
    server = Quiet(config)
    async with app.router.lifespan_context(app):
        running = asyncio.create_task(server.serve(sockets=[sock]))
        while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
            await asyncio.sleep(0.005)
        try:
            yield WebServer(int(sock.getsockname()[1]), config, server)
        finally:
            server.should_exit = True
            await running
