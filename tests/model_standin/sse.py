"""A message as server-sent events, in the vendor's order, with the ways in which a stream breaks."""

import json
from collections.abc import Iterator
from typing import Any

from starlette.responses import Response

from tests.model_standin.replies import Block, Body, Fault

Event = dict[str, Any]


class Cut(Exception):
    """The connection ends here, in the middle of the body."""


def events(message: Body, fault: Fault | None) -> Iterator[Event]:
    """Every event of the message. Raises Cut where the line is to drop."""
    opening = {**message, "content": [], "stop_reason": None, "stop_details": None}
    yield {"type": "message_start", "message": {**opening, "usage": {**message["usage"], "output_tokens": 1}}}
    yield {"type": "ping"}
    for index, block in enumerate(message["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in _deltas(block, fault))
        if fault and index == len(message["content"]) - 1 and fault.kind != "cut_json":
            yield from _break(fault)
            return
        yield {"type": "content_block_stop", "index": index}
    ending = {key: message[key] for key in ("stop_reason", "stop_sequence", "stop_details")}
    yield {"type": "message_delta", "delta": ending, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _break(fault: Fault) -> Iterator[Event]:
    if fault.kind == "drop":
        raise Cut
    if fault.kind == "error_event":
        yield {"type": "error", "error": {"type": fault.error_type, "message": fault.message}}


def _empty(block: Block) -> Block:
    blank: dict[str, Block] = {
        "text": {"text": ""},
        "tool_use": {"input": {}},
        "thinking": {"thinking": "", "signature": ""},
    }
    return {**block, **blank[block["type"]]}


def _deltas(block: Block, fault: Fault | None) -> Iterator[Block]:
    if block["type"] == "text":
        half = len(block["text"]) // 2
        yield from ({"type": "text_delta", "text": part} for part in (block["text"][:half], block["text"][half:]))
    elif block["type"] == "thinking":
        yield {"type": "signature_delta", "signature": block["signature"]}
    else:
        yield {"type": "input_json_delta", "partial_json": ""}
        raw = json.dumps(block["input"])
        raw = raw[:-2] if fault and fault.kind == "cut_json" else raw
        yield from ({"type": "input_json_delta", "partial_json": raw[at : at + 7]} for at in range(0, len(raw), 7))


class EventStream(Response):
    """The events on the wire; where they are cut, the connection closes without the body's last chunk."""

    def __init__(self, found: Iterator[Event], headers: dict[str, str]) -> None:
        super().__init__(headers=headers, media_type="text/event-stream")
        del self.headers["content-length"]
        self.found = found

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        try:
            for event in self.found:
                raw = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
                await send({"type": "http.response.body", "body": raw, "more_body": True})
        except Cut:
            return
        await send({"type": "http.response.body", "body": b"", "more_body": False})
