"""Fault injection: wrong responses, responses lost after the work was done, timeouts; and the log of all requests."""

import asyncio
import inspect
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

Callback = Callable[[], Awaitable[None] | None]
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


@dataclass(frozen=True)
class RecordedRequest:
    """One request and its response. Status 0: there was no response."""

    method: str
    path: str
    query: str
    status: int
    body: bytes = field(repr=False, default=b"")
    answer: bytes = field(repr=False, default=b"")
    headers: dict[str, str] = field(repr=False, default_factory=dict)  # of the request, names in lower case


@dataclass
class Fault:
    """A fault for the `nth` matching request (from 1) and the `times` - 1 that follow it.

    `after`: the request is performed first. Then `callback` is called, then the request hangs or gets `status`; without
    either it continues normally.
    """

    method: str
    path: re.Pattern[str]
    nth: int = 1
    times: int = 1
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    after: bool = False
    hang: bool = False
    callback: Callback | None = None
    contains: str = ""
    seen: int = 0

    def hits(self, method: str, path: str, body: bytes) -> bool:
        """Counts the request if it matches, and returns whether the fault applies to it."""
        if self.method not in ("*", method) or not self.path.search(path) or self.contains.encode() not in body:
            return False
        self.seen += 1
        return self.nth <= self.seen < self.nth + self.times


class Faults:
    """The injected faults. Paths are regular expressions searched in the whole path (`/api/v3/repos/…`)."""

    def __init__(self) -> None:
        self.armed: list[Fault] = []
        self.log: list[RecordedRequest] = []
        self.closing = asyncio.Event()

    def answer(
        self,
        method: str,
        path: str,
        status: int,
        body: Any = None,
        headers: dict[str, str] | None = None,
        after: bool = False,
        **where: Any,
    ) -> Fault:
        """Responds with `status`; with `after` only once the request was performed (a lost response).

        `where`: `nth`, `times`, `contains` (a text in the request's body).
        """
        text = json.dumps(body if body is not None else {"message": "Server Error"}).encode()
        return self._arm(
            Fault(method, re.compile(path), status=status, headers=headers or {}, body=text, after=after, **where)
        )

    def secondary_limit(self, method: str, path: str, retry_after: int | None = None, **where: Any) -> Fault:
        """Injects GitHub's secondary rate limit: 403, with or without `retry-after`."""
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        return self.answer(method, path, 403, {"message": SECONDARY}, headers, **where)

    def primary_limit(self, method: str, path: str, reset: int, **where: Any) -> Fault:
        """Injects an exceeded hourly limit until `reset` (Unix seconds)."""
        headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset), "x-ratelimit-limit": "5000"}
        return self.answer(
            method, path, 403, {"message": "API rate limit exceeded for installation."}, headers, **where
        )

    def hang(self, method: str, path: str, after: bool = False, **where: Any) -> Fault:
        """Never responds (until the server stops)."""
        return self._arm(Fault(method, re.compile(path), hang=True, after=after, **where))

    def before(self, method: str, path: str, callback: Callback, **where: Any) -> Fault:
        """Calls back before the request is performed."""
        return self._arm(Fault(method, re.compile(path), callback=callback, **where))

    def after(self, method: str, path: str, callback: Callback, **where: Any) -> Fault:
        """Calls back after the request was performed, before the response."""
        return self._arm(Fault(method, re.compile(path), callback=callback, after=True, **where))

    def clear(self) -> None:
        """Removes all faults."""
        self.armed.clear()

    def requests(self, method: str = "*", path: str = "") -> list[RecordedRequest]:
        """Returns the matching requests of the log; `path` is a regular expression."""
        return [seen for seen in self.log if method in ("*", seen.method) and re.search(path, seen.path)]

    def _arm(self, fault: Fault) -> Fault:
        self.armed.append(fault)
        return fault


class FaultLayer:
    """The ASGI middleware around the whole server that injects faults and keeps the log."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self.app = app
        self.faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = await _read(receive)
        method, path = scope["method"], scope["path"]
        hits = [fault for fault in tuple(self.faults.armed) if fault.hits(method, path, body)]
        sent: list[Message] = []
        try:
            for fault in hits:
                if not fault.after and await self._apply_fault(fault, sent):
                    return
            await self.app(scope, _replay(body), _collect(sent))
            for fault in hits:
                if fault.after and await self._apply_fault(fault, sent):
                    return
        finally:
            status = next((m["status"] for m in sent if m["type"] == "http.response.start"), 0)
            query = scope["query_string"].decode()
            answer = b"".join(m.get("body", b"") for m in sent)
            self.faults.log.append(RecordedRequest(method, path, query, status, body, answer, _headers(scope)))
            for message in sent:
                await send(message)

    async def _apply_fault(self, fault: Fault, sent: list[Message]) -> bool:
        """Applies a fault; returns whether that ended the request."""
        if fault.callback:
            result = fault.callback()
            if inspect.isawaitable(result):
                await result
        if fault.hang:
            sent.clear()
            await self.faults.closing.wait()
            return True
        if fault.status is None:
            return False
        headers = {"content-type": "application/json; charset=utf-8", **fault.headers}
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        sent[:] = [
            {"type": "http.response.start", "status": fault.status, "headers": pairs},
            {"type": "http.response.body", "body": fault.body},
        ]
        return True


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


async def _read(receive: Receive) -> bytes:
    parts = []
    more = True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message["type"] == "http.request" and message.get("more_body", False)
    return b"".join(parts)


def _replay(body: bytes) -> Receive:
    """Returns a `receive` that provides the body once, and then reports a disconnect."""
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Message:
        return next(messages, {"type": "http.disconnect"})

    return receive


def _collect(sent: list[Message]) -> Send:
    async def send(message: Message) -> None:
        sent.append(message)

    return send
