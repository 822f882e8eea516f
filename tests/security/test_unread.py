"""Clients that don't read what they are answered: what they left unread is thrown away, after a bounded time."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.web.protocol import ConnectionLimits
from tests.security.attacking import declared
from tests.security.server import WebServer, web_server

SHEET = b"GET /assets/heal.css HTTP/1.1\r\nHost: heal\r\n\r\n"  # the longest answer that a stranger gets
AHEAD = 8  # requests on one connection, whose answers are more than both kernels keep
SMALL = 4096  # bytes that either side's kernel keeps, about


@contextlib.contextmanager
def silent(port: int) -> Iterator[socket.socket]:
    """A connection whose client reads nothing by itself."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        client.connect(("127.0.0.1", port))
        client.settimeout(30)
        yield client


async def given_up(server: WebServer) -> None:
    """Until the server waits for nobody any more."""
    while server.config.waiting or server.connections:  # noqa: ASYNC110 -- nothing tells of it
        await asyncio.sleep(0.01)


async def all_of(client: socket.socket) -> bytes:
    """What is there to read, now that the client reads."""

    def read() -> bytes:
        parts = []
        with contextlib.suppress(ConnectionError):
            while part := client.recv(65536):
                parts.append(part)
        return b"".join(parts)

    return await asyncio.to_thread(read)


async def answered(server: WebServer) -> bytes:
    """The whole answer, as who reads it gets it."""
    with silent(server.port) as client:
        client.sendall(SHEET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        return await all_of(client)


# IN-2
@pytest.mark.parametrize(
    "more", [b"", b"GET /heal", declared(100) + b"x"], ids=["nothing", "half a line", "half a body"]
)
async def test_answers_that_are_not_read_in_time_are_thrown_away_with_their_connection(
    tmp_path: Path, more: bytes
) -> None:
    async with web_server(tmp_path, ConnectionLimits(seconds=1), send_buffer=SMALL) as server:
        whole = await answered(server)
        assert whole.startswith(b"HTTP/1.1 200")
        with silent(server.port) as client:
            while not server.connections:  # noqa: ASYNC110 -- nothing tells of it
                await asyncio.sleep(0.01)
            client.sendall(SHEET * AHEAD + more)
            await given_up(server)
            assert server.config.bodies.claimed == 0
            got = await all_of(client)
        assert got.startswith(b"HTTP/1.1 200")
        assert len(got) < 2 * len(whole), "the rest was thrown away, not kept until somebody reads it"
