"""POST /webhook: verify, parse, store, respond. Nothing else happens before GitHub gets the response."""

import asyncio
import hashlib
import hmac
import json
import re

from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from bot.durable.inbox import Inbox
from bot.web.protocol import MAX_BODY, TOO_LARGE
from handlers.intake import BadPayload, parse_event

_BIG = 256 * 1024  # bytes from which a body is parsed in a thread, so as not to block the event loop
_GUID = re.compile(r"[A-Za-z0-9-]{1,64}")
Headers = dict[bytes, bytes]


_HEADER = re.compile(r"sha256=([0-9a-f]{64})")


class Signature:
    """Verifies that a body was signed with our secret: hashed chunk by chunk as it arrives, before anything is parsed,
    and compared in constant time. `header` is X-Hub-Signature-256. With an empty secret nothing is valid."""

    def __init__(self, header: str, secret: str) -> None:
        match = _HEADER.fullmatch(header)
        self._claimed = match[1] if match and secret else ""
        self._hash = hmac.new(secret.encode(), digestmod=hashlib.sha256)

    @property
    def possible(self) -> bool:
        """Whether the header has the form of a signature; otherwise the body need not be read."""
        return bool(self._claimed)

    def update(self, part: bytes) -> None:
        """Hashes the next chunk of the body."""
        self._hash.update(part)

    def matches(self) -> bool:
        """Whether the signature matches everything hashed so far."""
        return self.possible and hmac.compare_digest(self._hash.hexdigest(), self._claimed)


class Answered(Exception):
    """Ends the processing of a delivery with this response."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class Webhook:
    """The endpoint, a separate ASGI app; `secret` is the App's webhook secret."""

    def __init__(self, inbox: Inbox, secret: str) -> None:
        self._inbox = inbox
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            status, text = await self._take(dict(reversed(scope["headers"])), receive)  # the first header of each name
        except Answered as answer:
            status, text = answer.status, answer.text
        await PlainTextResponse(f"{text}\n", status)(scope, receive, send)

    async def _take(self, headers: Headers, receive: Receive) -> tuple[int, str]:
        signature = Signature(_text(headers, b"x-hub-signature-256"), self._secret)
        body = await _body(headers, receive, signature) if signature.possible else b""
        if not signature.matches():
            raise Answered(401, "The signature is missing or wrong: is the webhook secret the same on both sides?")
        event, guid = _names(headers)
        await _check_payload(event, body)
        if not await self._inbox.store(guid, event, body):
            return 200, "Seen before; nothing to do."
        return 202, "Stored."


def _text(headers: Headers, name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1")


async def _body(headers: Headers, receive: Receive, signature: Signature) -> bytes:
    """Reads the raw body and hashes it while it arrives; stops at the limit. The total size of all bodies and the time
    are limited by the connection (bot/web/protocol.py)."""
    declared = headers.get(b"content-length", b"")
    if declared.isdigit() and (len(declared) > 20 or int(declared) > MAX_BODY):
        raise Answered(413, TOO_LARGE)
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Answered(400, "The connection closed before the body's end.")
        part, more = message.get("body", b""), message.get("more_body", False)
        if len(body) + len(part) > MAX_BODY:
            raise Answered(413, TOO_LARGE)
        signature.update(part)
        body += part
    return bytes(body)


def _names(headers: Headers) -> tuple[str, str]:
    kind = _text(headers, b"content-type").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Answered(415, "Send JSON: set the webhook's content type to application/json in the App's settings.")
    event, guid = _text(headers, b"x-github-event"), _text(headers, b"x-github-delivery")
    if not event or len(event) > 100 or not _GUID.fullmatch(guid):
        raise Answered(400, "X-GitHub-Event or X-GitHub-Delivery is missing or malformed.")
    return event, guid


async def _check_payload(event: str, body: bytes) -> None:
    """Raises Answered for an invalid payload (400) and for one without an event for Heal (202)."""
    try:
        payload = await asyncio.to_thread(json.loads, body) if len(body) > _BIG else json.loads(body)
        parsed = parse_event(event, payload)
    except (ValueError, RecursionError):
        raise Answered(400, "The body is not JSON.") from None
    except BadPayload as bad:
        raise Answered(400, f"The payload can't be read: {bad}") from None
    if parsed is None:
        raise Answered(202, "Nothing for Heal in this event; ignored.")
