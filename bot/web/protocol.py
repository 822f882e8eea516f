"""The HTTP protocol of connections: uvicorn's protocol over llhttp, with additional limits.

The limits apply to every route, before any of Heal's own code runs: the size of headers and bodies, the time that a
client may take to send a request or to read the response, the number of connections, and the size of all bodies
together.
"""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Any

import uvicorn
from httptools import HttpParserError, HttpParserUpgrade
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from bot.web.bodies import BodyBudget, BudgetExceeded

MEGABYTE = 1024 * 1024
MAX_LENGTH = 16 * 1024  # bytes of all headers and trailers of a request, or of any other unfinished part
MAX_BODY = 25 * MEGABYTE  # GitHub's own limit for deliveries
A_HEADER = 32  # bytes counted for each header in addition to its name and value, as in RFC 9113, 6.5.2
MAX_PIPELINED = 8  # requests on one connection that wait for the response to an earlier one

TOO_LARGE = "The body is over 25 MB, which GitHub never sends."
TOO_SLOW = "The request did not arrive as a whole in time."
BUSY = "Too many requests are being received. Try again in a while."


@dataclass(frozen=True)
class ConnectionLimits:
    """`seconds`: the time for a request to be complete, from its first byte (GitHub gives up after 10), and for a
    response to be read. `bodies`: bytes of all bodies together. A body of up to `bodies / connections` (128 KB) is
    never refused because of other clients' incomplete ones."""

    seconds: float = 10.0
    connections: int = 512
    bodies: int = 64 * MEGABYTE


class ServerConfig(uvicorn.Config):
    """The server's settings, and the state that its connections share."""

    def __init__(self, app: ASGIApp, limits: ConnectionLimits | None = None, **settings: Any) -> None:
        # No access log: a line for every delivery would cost more than storing it; /metrics counts them.
        super().__init__(app, http=BoundedProtocol, ws="none", log_config=None, access_log=False, **settings)
        self.limits = limits or ConnectionLimits()
        self.bodies: BodyBudget[Request] = BodyBudget(self.limits.bodies)
        self.waiting: dict[BoundedProtocol, None] = {}  # connections that wait for their clients, longest first


@dataclass(frozen=True, eq=False)
class Request:
    """One request of a connection, for which the bytes of its body are counted."""

    connection: "BoundedProtocol"


class RequestRefused(Exception):
    """Raised into the parser to abort it. The response was already sent."""


class TooLong(Exception):
    """Raised into the parser to abort it: the response is a 400, and the connection is closed."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection. It is closed if the response was complete before the request."""

    config: ServerConfig

    _headers = 0  # bytes of this request's headers and trailers
    _unfinished = 0  # bytes since the last complete part of a request
    _begun = False  # whether a request was received partially
    _timer: asyncio.TimerHandle | None = None  # runs while the connection waits for its client

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._requests: deque[Request] = deque()  # without a complete response
        if len(self.connections) > self.config.limits.connections:
            next(iter(self.config.waiting), self).refuse(503, BUSY)
        if not transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._let_go()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        self._unfinished += len(data)
        try:
            self.parser.feed_data(data)
        except HttpParserUpgrade:
            pass  # the request to upgrade is ignored
        except HttpParserError:
            self.send_400_response("This is no HTTP request, or a part of it is too long.")
        if self._unfinished > MAX_LENGTH:
            self.send_400_response("A part of the request is too long.")

    def send_400_response(self, msg: str) -> None:
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def on_message_begin(self) -> None:
        self._headers, self._begun = 0, True
        self._requests.append(Request(self))
        self._wait()
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._unfinished = 0
        self._headers += len(name) + len(value) + A_HEADER
        if self._headers > MAX_LENGTH:
            raise TooLong
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._unfinished = 0
        if len(self.url) > MAX_LENGTH or len(self.pipeline) >= MAX_PIPELINED:
            raise TooLong
        length = next((value for name, value in self.headers if name == b"content-length"), b"0")
        declared = int(length)  # llhttp has checked that it is a single number of at most 64 bits
        if declared > MAX_BODY:
            self.refuse(413, TOO_LARGE)
            raise RequestRefused
        self._count(declared=declared)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unfinished = 0
        self._count(received=len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._begun = False
        self._stop_waiting()
        self.config.bodies.complete(self._requests[-1])
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if not self.pipeline and self.cycle.more_body:
            self.transport.close()  # the rest of the request won't be read
        self.config.bodies.release(self._requests.popleft())
        super().on_response_complete()
        if self._timer is None and not self.pipeline:
            self._wait()  # for the next request, and for this response to be read

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self._begun:
            self._stop_waiting()

    def refuse(self, status: int, text: str) -> None:
        """Sends a response, unless another one must be sent first, and closes the connection. The app sees a
        disconnected client."""
        cycle = self.cycle
        first = cycle is None or cycle.response_complete
        if self._begun and (first or (cycle.more_body and not cycle.response_started and not self.pipeline)):
            retry = f"retry-after: {self.config.limits.seconds:.0f}\r\n" if status == 503 else ""
            head = f"content-type: text/plain; charset=utf-8\r\ncontent-length: {len(text) + 1}\r\n{retry}"
            self.transport.write(STATUS_LINE[status] + f"{head}connection: close\r\n\r\n{text}\n".encode())
        self.connections.discard(self)
        self._let_go()
        if cycle is not None:
            cycle.disconnected = True
            cycle.body = bytearray()
            cycle.message_event.set()
        if self.transport.get_write_buffer_size():
            self.transport.abort()  # the client doesn't read, and `close` would wait for that
        else:
            self.transport.close()

    def _count(self, declared: int = 0, received: int = 0) -> None:
        """Claims room for a body. Raises RequestRefused if there is none."""
        bodies, request = self.config.bodies, self._requests[-1]
        try:
            losers = bodies.receive(request, received) if received else bodies.claim(request, declared)
        except BudgetExceeded:
            self.refuse(503, BUSY)
            raise RequestRefused from None
        for loser in losers:
            loser.connection.refuse(503, BUSY)

    def _wait(self) -> None:
        """Starts the client's time limit."""
        self._stop_waiting()
        self._timer = self.loop.call_later(self.config.limits.seconds, self._too_slow)
        self.config.waiting[self] = None

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self.config.waiting.pop(self, None)

    def _let_go(self) -> None:
        self._stop_waiting()
        for request in self._requests:
            self.config.bodies.release(request)

    def _too_slow(self) -> None:
        if self.flow.read_paused and not self.transport.get_write_buffer_size():
            self._wait()  # the server itself has paused reading until an earlier response is complete
        else:
            self.refuse(408, TOO_SLOW)
