"""What strangers send to the port instead of a request: nothing of it is kept for long, nobody waits for its end."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from itertools import repeat
from pathlib import Path

import pytest

from bot.web.protocol import MAX_BODY, MAX_LENGTH
from tests.bot.hooks import failed_check, raw
from tests.security.attacking import request
from tests.security.server import web_server

MEGABYTE = 1024 * 1024
GOOD = raw(failed_check())


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[int]:
    """Of a web process that reads requests as `heal serve` does."""
    async with web_server(tmp_path) as server:
        yield server.port


async def exchange(port: int, parts: "list[bytes] | repeat[bytes]", most: int = 60 * MEGABYTE) -> tuple[bytes, int]:
    """What the server says until it closes the connection, and how many bytes of `parts` it took until then."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer, taken = asyncio.create_task(reader.read()), 0
    with contextlib.suppress(ConnectionError):
        for part in parts:
            if writer.is_closing() or answer.done() or taken > most:
                break
            writer.write(part)
            await writer.drain()
            taken += len(part)
            await asyncio.sleep(0)
    async with asyncio.timeout(10):
        try:
            return await answer, taken
        except ConnectionError:  # it closed while we were still sending
            return b"", taken
        finally:
            writer.close()


START = b"POST /webhook HTTP/1.1\r\nHost: heal\r\n"
ENDLESS = {
    "a header": (START + b"X-Long: ", b"x" * 1000),
    "a header's name": (START, b"x" * 1000),
    "headers": (START, b"X-Many: 1\r\n" * 50),
    "an address": (b"GET /", b"x" * 1000),
    "empty lines": (b"", b"\r\n" * 500),
    "a chunk's extension": (START + b"Transfer-Encoding: chunked\r\n\r\n5;", b"x" * 1000),
    "trailers": (START + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-Many: 1\r\n" * 50),
    "a trailer": (START + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX-Long: ", b"x" * 1000),
}


# IN-2
@pytest.mark.parametrize("what", ENDLESS)
async def test_what_never_ends_is_cut_off(port: int, what: str) -> None:
    start, more = ENDLESS[what]
    answer, taken = await exchange(port, [start, *repeat(more, 8 * MEGABYTE // len(more))])
    assert taken < 6 * MEGABYTE  # what both ends' systems hold of it
    assert not answer or answer.startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize(
    ("size", "status"), [(MAX_LENGTH // 2, b"202"), (MAX_LENGTH, b"400"), (20 * MAX_LENGTH, b"400")]
)
async def test_long_headers_in_one_piece_are_refused_where_they_are_too_long(
    port: int, size: int, status: bytes
) -> None:
    sent = request(GOOD, f"X-Long: {'x' * size}", "Connection: close") + GOOD
    answer, _ = await exchange(port, [sent])
    assert not answer or answer.split()[1] == status
    assert answer or size > MAX_LENGTH  # an answer may be lost where more was sent than was read


# IN-2
async def test_a_body_over_25_megabytes_is_refused_whether_its_length_is_told_or_not(port: int) -> None:
    reported = request(b"").replace(b"Content-Length: 0", b"Content-Length: %d" % (MAX_BODY + 1))
    answer, taken = await exchange(port, [reported, *repeat(b"x" * MEGABYTE, 60)])
    assert answer.startswith(b"HTTP/1.1 413") or not answer
    assert taken < 10 * MEGABYTE
    chunk = b"100000\r\n" + b"x" * MEGABYTE + b"\r\n"
    answer, taken = await exchange(port, [request(b"", length="Transfer-Encoding"), *repeat(chunk, 60)])
    assert answer.startswith(b"HTTP/1.1 413") or not answer
    assert taken < MAX_BODY + 10 * MEGABYTE


# IN-2
async def test_a_delivery_in_many_pieces_and_several_on_one_connection_are_taken(port: int) -> None:
    whole = request(GOOD) + GOOD
    pieces = [whole[at : at + 7] for at in range(0, len(whole), 7)]
    last = request(GOOD, "Connection: close") + GOOD
    answer, _ = await exchange(port, [*pieces, last])
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"202", b"202"]
    chunks = b"".join(b"1\r\n" + GOOD[at : at + 1] + b"\r\n" for at in range(len(GOOD))) + b"0\r\n\r\n"
    answer, _ = await exchange(port, [request(GOOD, "Connection: close", length="Transfer-Encoding") + chunks])
    assert answer.split()[1] == b"202"


@pytest.mark.parametrize("noise", [b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"POST /webhook HTTP/9.9\r\n\r\n"])
async def test_what_is_no_request_is_answered_400(port: int, noise: bytes) -> None:
    answer, _ = await exchange(port, [noise])
    assert answer.startswith(b"HTTP/1.1 400")


# IN-2
async def test_two_lengths_of_one_body_are_refused(port: int) -> None:
    for more in ("Transfer-Encoding: chunked", f"Content-Length: {len(GOOD) - 1}"):
        answer, _ = await exchange(port, [request(GOOD, more) + GOOD])
        assert answer.startswith(b"HTTP/1.1 400"), more
