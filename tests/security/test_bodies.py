"""What connections that nobody signed can take from the web process: bounded memory, for a bounded time."""

import asyncio
import contextlib
import re
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.web.bodies import BodyBudget, BudgetExceeded
from bot.web.protocol import ConnectionLimits
from tests.bot.hooks import failed_check, raw
from tests.security.attacking import CHUNK, CHUNKED, KINDS, MEGABYTE, declared, request
from tests.security.server import web_server

GOOD = raw(failed_check())
SLOW_MACHINE = 5.0  # seconds that an acknowledgement may take here; alone it takes some milliseconds


async def connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port)


async def until_closed(reader: asyncio.StreamReader) -> bytes:
    """What the server sends until it closes the connection."""
    async with asyncio.timeout(30):
        try:
            return await reader.read()
        except ConnectionError:
            return b""


async def sent(port: int, parts: list[bytes]) -> bytes:
    """Sends as much as the server takes and never ends the request by itself. Gives what it answered."""
    reader, writer = await connected(port)
    answer = asyncio.create_task(until_closed(reader))
    with contextlib.suppress(ConnectionError):
        for part in parts:
            writer.write(part)
            await writer.drain()
    try:
        return await answer
    finally:
        writer.close()


async def acknowledged(port: int, body: bytes = GOOD) -> float:
    """Seconds that a signed delivery took to be answered 202."""
    began = time.monotonic()
    answer = await sent(port, [request(body, "Connection: close") + body])
    assert answer.startswith(b"HTTP/1.1 202"), answer
    return time.monotonic() - began


@contextlib.asynccontextmanager
async def attackers(port: int, kind: str, connections: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """Hostile connections, all open, from a process of their own."""
    arguments = ("-m", "tests.security.attacking", str(port), kind, str(connections))
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"open\n"
        yield process
    finally:
        process.kill()
        await process.wait()


async def all_sent(process: asyncio.subprocess.Process) -> None:
    """Until every hostile connection has sent all it could or was cut off."""
    assert process.stdout is not None
    async with asyncio.timeout(120):
        assert await process.stdout.readline() == b"sent\n"


# IN-2
@pytest.mark.parametrize("connections", [24, 200])
@pytest.mark.parametrize("kind", KINDS)
async def test_hostile_connections_hold_no_more_than_the_budget_and_signed_deliveries_are_taken_meanwhile(
    tmp_path: Path, kind: str, connections: int
) -> None:
    limits = ConnectionLimits(seconds=60)
    async with web_server(tmp_path, limits) as server, attackers(server.port, kind, connections) as attack:
        for _ in range(3):
            assert await acknowledged(server.port) < SLOW_MACHINE
        if kind != "chunks without end":  # the last ones go on until their deadline
            await all_sent(attack)
        assert await acknowledged(server.port) < SLOW_MACHINE
        assert server.config.bodies.most_received <= limits.bodies
        assert server.config.bodies.claimed <= limits.bodies
        assert server.connections <= connections + 1


# IN-2
@pytest.mark.parametrize(
    ("parts", "status"),
    [
        pytest.param([], b"", id="nothing"),
        pytest.param([b"\r\n"], b"", id="an empty line"),
        pytest.param([b"POST /webhook HTTP/1.1\r\nHost: h"], b"408", id="half of the headers"),
        pytest.param([declared(100), b"x" * 99], b"408", id="all of the body but a byte"),
        pytest.param([CHUNKED, CHUNK], b"408", id="chunks without end"),
        pytest.param([request(GOOD) + GOOD, b"\r\n"], b"202", id="a delivery, then an empty line"),
        pytest.param([request(GOOD) + GOOD, declared(100)], b"202 408", id="a delivery, then half of one"),
    ],
)
async def test_a_request_that_is_not_whole_in_time_is_answered_408_and_its_connection_closed(
    tmp_path: Path, parts: list[bytes], status: bytes
) -> None:
    async with web_server(tmp_path, ConnectionLimits(seconds=0.5)) as server:
        answer = await sent(server.port, parts)
        assert re.findall(rb"HTTP/1.1 (\d+)", answer) == status.split()
        assert server.config.bodies.claimed == 0
        assert not server.config.waiting


# IN-2
@pytest.mark.parametrize("path", [b"/webhook", b"/healthz", b"/"])
async def test_a_form_that_is_never_whole_is_cut_off_on_every_route(tmp_path: Path, path: bytes) -> None:
    async with web_server(tmp_path, ConnectionLimits(seconds=0.5)) as server:
        answer = await sent(server.port, [declared(100).replace(b"/webhook", path), b"x"])
        assert answer.startswith((b"HTTP/1.1 408", b"HTTP/1.1 405"))


async def test_who_sends_a_request_in_small_pieces_gets_no_more_time_for_it(tmp_path: Path) -> None:
    async with web_server(tmp_path, ConnectionLimits(seconds=0.5)) as server:
        reader, writer = await connected(server.port)
        answer = asyncio.create_task(until_closed(reader))
        writer.write(declared(MEGABYTE))
        while not answer.done():
            writer.write(b"x")
            await asyncio.wait([answer], timeout=0.05)
        assert (await answer).startswith(b"HTTP/1.1 408")
        writer.close()


# IN-2
async def test_a_length_that_breaks_the_budget_is_refused_before_a_byte_of_it_is_read(tmp_path: Path) -> None:
    async with web_server(tmp_path, ConnectionLimits(bodies=1000)) as server:
        first, writer = await connected(server.port)
        writer.write(declared(600))
        second = asyncio.create_task(sent(server.port, [declared(600)]))
        answers = {asyncio.create_task(until_closed(first)), second}
        done, left = await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED)
        answer = done.pop().result()
        assert answer.startswith(b"HTTP/1.1 503")
        assert b"\r\nretry-after: 10\r\n" in answer
        assert b"\r\nconnection: close\r\n" in answer
        assert (server.config.bodies.claimed, server.config.bodies.most_received) == (600, 0)
        left.pop().cancel()
        writer.close()


# IN-2
async def test_a_large_body_gives_way_to_a_small_one(tmp_path: Path) -> None:
    async with web_server(tmp_path, ConnectionLimits(bodies=len(GOOD) + 500)) as server:
        reader, writer = await connected(server.port)
        writer.write(declared(len(GOOD) + 400) + b"x" * 10)
        await writer.drain()
        while not server.config.bodies.received:  # noqa: ASYNC110 -- nothing tells that the server has read it
            await asyncio.sleep(0)
        await acknowledged(server.port)
        assert (await until_closed(reader)).startswith(b"HTTP/1.1 503")
        writer.close()


# IN-2
async def test_idle_connections_are_bounded_and_the_longest_idle_one_is_closed_for_a_new_one(tmp_path: Path) -> None:
    async with web_server(tmp_path, ConnectionLimits(connections=20, seconds=60)) as server:
        idle = [await connected(server.port) for _ in range(60)]
        assert await acknowledged(server.port) < SLOW_MACHINE
        assert server.connections <= 20
        for reader, _ in idle[:40]:
            assert await until_closed(reader) == b""
        assert not any(reader.at_eof() for reader, _ in idle[45:])
        for _, writer in idle:
            writer.close()


async def test_many_requests_sent_at_once_on_one_connection_are_cut_off(tmp_path: Path) -> None:
    async with web_server(tmp_path) as server:
        answer = await sent(server.port, [b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n" * 5000])
        assert answer.count(b"HTTP/1.1 200") < 20


async def test_many_tiny_headers_are_refused(tmp_path: Path) -> None:
    async with web_server(tmp_path) as server:
        answer = await sent(server.port, [b"GET /healthz HTTP/1.1\r\n" + b"a:\r\n" * 3000])
        assert answer.startswith(b"HTTP/1.1 400")


Ops = st.lists(
    st.tuples(st.sampled_from(["claim", "receive", "complete", "release"]), st.integers(0, 7), st.integers(0, 150))
)


# IN-2
@given(ops=Ops)
@settings(deadline=None)
def test_no_order_of_requests_makes_bodies_hold_more_than_the_budget(ops: list[tuple[str, int, int]]) -> None:
    budget: BodyBudget[int] = BodyBudget(100)
    complete: dict[int, bool] = {}
    received: dict[int, int] = {}
    for what, holder, size in ops:
        if what == "release" or complete.get(holder):
            budget.release(holder)
            complete.pop(holder, None)
            received.pop(holder, None)
            continue
        if what == "complete":
            budget.complete(holder)
            complete[holder] = holder in received
            continue
        try:
            losers = budget.claim(holder, size) if what == "claim" else budget.receive(holder, size)
        except BudgetExceeded:
            others = sum(complete.values())
            assert size + received.get(holder, 0) > 100 // 8 or others, "a small body is refused for incomplete ones"
            budget.release(holder)
            received.pop(holder, None)
            continue
        assert holder not in losers
        received[holder] = received.get(holder, 0) + (size if what == "receive" else 0)
        for loser in losers:
            assert not complete.get(loser)
            received.pop(loser)
        assert budget.received == sum(received.values()) <= budget.claimed <= 100
