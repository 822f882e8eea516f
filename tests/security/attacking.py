"""`python -m tests.security.attacking PORT KIND CONNECTIONS`: connections that send much, or slowly, and never end.

Prints a line when all are open, one when each has sent all it could or was cut off, and then stays until it is killed.
A process of its own, so that its work doesn't count as the server's.
"""

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterable
from itertools import repeat

from tests.bot.hooks import headers

MEGABYTE = 1024 * 1024
PART = b"x" * 65536
CHUNK = b"10000\r\n" + PART + b"\r\n"


def request(body: bytes, *more: str, length: str = "Content-Length") -> bytes:
    """The head of a signed delivery; with `length="Transfer-Encoding"` of one in chunks."""
    reported = {**headers(body), "Host": "heal", length: str(len(body)) if length == "Content-Length" else "chunked"}
    lines = ("POST /webhook HTTP/1.1", *(f"{name}: {value}" for name, value in reported.items()), *more)
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


CHUNKED = request(b"", length="Transfer-Encoding")


def declared(size: int) -> bytes:
    """The head of a delivery with the form of a signature, which declares a body of this length."""
    return request(b"").replace(b"Content-Length: 0", b"Content-Length: %d" % size)


KINDS: dict[str, Callable[[], Iterable[bytes]]] = {
    "25 MB, all but the last byte": lambda: [declared(25 * MEGABYTE), *repeat(PART, 399), PART[1:]],
    "25 MB declared, nothing sent": lambda: [declared(25 * MEGABYTE)],
    "1 MB, all but the last byte": lambda: [declared(MEGABYTE), *repeat(PART, 15), PART[1:]],
    "chunks without end": lambda: [CHUNKED, *repeat(CHUNK, 399)],
    "one byte declared, much sent": lambda: [declared(1), *repeat(PART, 100)],
    "half of the headers": lambda: [b"POST /webhook HTTP/1.1\r\nHost: heal\r\n"],
}


async def attack(port: int, kind: str, connections: int) -> None:
    """Opens all connections, then sends on all of them."""
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(connections)]
    print("open", flush=True)
    await asyncio.gather(*(_send(reader, writer, kind) for reader, writer in opened))
    print("sent", flush=True)
    await asyncio.Event().wait()


async def _send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kind: str) -> None:
    closed = asyncio.create_task(_until_closed(reader))
    with contextlib.suppress(ConnectionError):
        for part in KINDS[kind]():
            if closed.done():
                break
            writer.write(part)
            await writer.drain()


async def _until_closed(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        await reader.read()


if __name__ == "__main__":
    asyncio.run(attack(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
