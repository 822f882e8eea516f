"""A chat's incoming webhook as a real HTTP server that can misbehave: each request gets the next of its answers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

Answers = Callable[[asyncio.StreamWriter], Awaitable[None]]
PATH = "/services/T0/B0/s3cr3t-path"


@dataclass
class ChatServer:
    """`bodies` and `headers` are of all requests, in order; `paths` too."""

    port: int = 0
    answers: list[Answers] = field(default_factory=list)  # those still to come; then 200
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    got: asyncio.Event = field(default_factory=asyncio.Event)  # the first request is there

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{PATH}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            self.bodies.append(await reader.readexactly(int(headers.get("content-length", "0"))))
            self.paths.append(first.split(" ")[1])
            self.headers.append(headers)
            self.got.set()
            await (self.answers.pop(0) if self.answers else says(200))(writer)


def says(status: int, **headers: str) -> Answers:
    """A whole answer."""
    lines = [f"HTTP/1.1 {status} So", "Content-Length: 2", *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items())]

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write("\r\n".join([*lines, "", "ok"]).encode())
        await writer.drain()

    return answer


async def hangs(_writer: asyncio.StreamWriter) -> None:
    """Never answers."""
    await asyncio.Event().wait()


async def drips(writer: asyncio.StreamWriter) -> None:
    """A header that goes on for ever, a little at a time."""
    writer.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.01)


async def floods(writer: asyncio.StreamWriter) -> None:
    """A body without end."""
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        await writer.drain()


async def hangs_up(_writer: asyncio.StreamWriter) -> None:
    """Closes the connection without a word."""


@asynccontextmanager
async def chat_server(*answers: Answers) -> AsyncIterator[ChatServer]:
    """Serves until the end; what hangs then is cut off."""
    made = ChatServer(answers=list(answers))
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(made.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        left = list(tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await asyncio.sleep(0)  # closed connections are let go in the next step of the loop
