"""How requests are read from a connection: by llhttp (uvicorn's own protocol over it), with limits that it has not.

The limits hold for every route, before any of Heal's own code runs: how long headers and bodies are, how long a client
may take to send a request or to read the answer, how many connections are open, and how much all bodies hold together.
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
LONGEST = 16 * 1024  # bytes of all headers and trailers of a request, or of anything that never becomes whole
LARGEST_BODY = 25 * MEGABYTE  # GitHub's own cap: it never sends more
A_HEADER = 32  # bytes that each header counts beside its name and value, as in RFC 9113, 6.5.2
MOST_PIPELINED = 8  # requests that wait on one connection for the answer to an earlier one

TOO_LARGE = "The body is over 25 MB, which GitHub never sends."
TOO_SLOW = "The request did not arrive as a whole in time."
BUSY = "Too many requests are being received. Try again in a while."


@dataclass(frozen=True)
class ConnectionLimits:
    """`seconds`: until a request has to be whole, counted from its first byte (GitHub gives up after 10), and until an
    answer has to be read. `bodies`: bytes of all bodies together. A body of up to `bodies / connections` (128 KB) is
    never refused because of other clients' incomplete ones."""

    seconds: float = 10.0
    connections: int = 512
    bodies: int = 64 * MEGABYTE


class ServerConfig(uvicorn.Config):
    """The server's settings, and what its connections share."""

    def __init__(self, app: ASGIApp, limits: ConnectionLimits | None = None, **settings: Any) -> None:
        # Without an access log: a line for every delivery would cost more than storing it; /metrics counts them.
        super().__init__(app, http=BoundedProtocol, ws="none", log_config=None, access_log=False, **settings)
        self.limits = limits or ConnectionLimits()
        self.bodies: BodyBudget[Request] = BodyBudget(self.limits.bodies)
        self.waiting: dict[BoundedProtocol, None] = {}  # for their clients, the longest first


@dataclass(frozen=True, eq=False)
class Request:
    """One request of a connection, as whose body bytes are counted."""

    connection: "BoundedProtocol"


class RequestRefused(Exception):
    """Raised to the parser, which gives up. The client has its answer."""


class TooLong(Exception):
    """Raised to the parser, which gives up: the answer is 400, and the connection is closed."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection. It is closed where an answer came before the request's end."""

    config: ServerConfig

    _headers = 0  # bytes of this request's headers and trailers
    _unfinished = 0  # bytes since anything of a request was whole
    _begun = False  # whether a part of a request is here, and not all of it
    _timer: asyncio.TimerHandle | None = None  # runs while the connection waits for its client

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._requests: deque[Request] = deque()  # that are not answered yet
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
            pass  # it is answered as if it had asked for no other protocol
        except HttpParserError:
            self.send_400_response("This is no HTTP request, or a part of it is too long.")
        if self._unfinished > LONGEST:
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
        if self._headers > LONGEST:
            raise TooLong
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._unfinished = 0
        if len(self.url) > LONGEST or len(self.pipeline) >= MOST_PIPELINED:
            raise TooLong
        length = next((value for name, value in self.headers if name == b"content-length"), b"0")
        declared = int(length)  # llhttp has seen that it is one number of at most 64 bits
        if declared > LARGEST_BODY:
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
            self.transport.close()  # nobody reads what is still sent
        self.config.bodies.release(self._requests.popleft())
        super().on_response_complete()
        if self._timer is None and not self.pipeline:
            self._wait()  # for the next request, and until this answer is read

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self._begun:
            self._stop_waiting()

    def refuse(self, status: int, text: str) -> None:
        """Answers, unless another answer is due before, and closes the connection. The app sees that the client is
        gone."""
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
            self.transport.abort()  # it doesn't read what it is sent, and closing would wait for that
        else:
            self.transport.close()

    def _count(self, declared: int = 0, received: int = 0) -> None:
        """Claims room for a body. Raises Refused where there is none."""
        bodies, request = self.config.bodies, self._requests[-1]
        try:
            losers = bodies.receive(request, received) if received else bodies.claim(request, declared)
        except BudgetExceeded:
            self.refuse(503, BUSY)
            raise RequestRefused from None
        for loser in losers:
            loser.connection.refuse(503, BUSY)

    def _wait(self) -> None:
        """From now on the client has so many seconds."""
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
            self._wait()  # it may not send more before an earlier request is answered
        else:
            self.refuse(408, TOO_SLOW)
