"""POST /webhook: verify, parse, store, answer. Nothing else happens before GitHub has its answer (IN-2)."""

import asyncio
import json
import re

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from bot.durable.inbox import Inbox
from bot.web.signature import is_signed, may_be_signed
from handlers.intake import BadPayload, parse_event

LARGEST = 25 * 1024 * 1024  # GitHub's own cap: it never sends more
_BIG = 256 * 1024  # parsed in a thread: it would hold up the others
_GUID = re.compile(r"[A-Za-z0-9-]{1,64}")


class Answered(Exception):
    """The delivery ends here with this answer."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.response = PlainTextResponse(f"{text}\n", status_code=status)


class Webhook:
    """The endpoint; `secret` is the App's webhook secret."""

    def __init__(self, inbox: Inbox, secret: str) -> None:
        self._inbox = inbox
        self._secret = secret

    async def post(self, request: Request) -> Response:
        try:
            signature = request.headers.get("x-hub-signature-256")
            body = await _body(request) if may_be_signed(signature) else b""
            if not is_signed(body, signature, self._secret):
                raise Answered(401, "The signature is missing or wrong: is the webhook secret the same on both sides?")
            return await self._accept(request, body)
        except Answered as answer:
            return answer.response

    async def _accept(self, request: Request, body: bytes) -> Response:
        event, guid = _names(request)
        await _check_payload(event, body)
        if not await self._inbox.store(guid, event, body):
            return PlainTextResponse("Seen before; nothing to do.\n", status_code=200)
        return PlainTextResponse("Stored.\n", status_code=202)


async def _body(request: Request) -> bytes:
    """The raw body; stops reading at the limit."""
    told = request.headers.get("content-length", "")
    parts: list[bytes] = []
    size = int(told) if told.isdigit() and len(told) < 20 else 0
    if size > LARGEST:
        raise Answered(413, "The body is over 25 MB, which GitHub never sends.")
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > LARGEST:
                raise Answered(413, "The body is over 25 MB, which GitHub never sends.")
            parts.append(part)
    except ClientDisconnect:
        raise Answered(400, "The connection closed before the body's end.") from None
    return b"".join(parts)


def _names(request: Request) -> tuple[str, str]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Answered(415, "Send JSON: set the webhook's content type to application/json in the App's settings.")
    event, guid = request.headers.get("x-github-event", ""), request.headers.get("x-github-delivery", "")
    if not event or len(event) > 100 or not _GUID.fullmatch(guid):
        raise Answered(400, "X-GitHub-Event or X-GitHub-Delivery is missing or malformed.")
    return event, guid


async def _check_payload(event: str, body: bytes) -> None:
    """Raises Answered for what can't be read (400) and for what isn't for us (202)."""
    try:
        payload = await asyncio.to_thread(json.loads, body) if len(body) > _BIG else json.loads(body)
        parsed = parse_event(event, payload)
    except (ValueError, RecursionError):
        raise Answered(400, "The body is not JSON.") from None
    except BadPayload as bad:
        raise Answered(400, f"The payload can't be read: {bad}") from None
    if parsed is None:
        raise Answered(202, "Nothing for Heal in this event; ignored.")
