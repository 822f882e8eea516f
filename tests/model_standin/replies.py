"""What a brain answers: blocks, or a fault of the line."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Block = dict[str, Any]
Body = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """How a reply goes wrong.

    `status`: an error reply with `error_type`, `message`, `headers` · `hang`: no byte for `seconds` · `drop`: the
    connection is cut in mid-body · `truncate`: a stream that ends cleanly but early · `error_event`: an error in
    mid-stream · `html`: a proxy's page with status 200 · `cut_json`: the last tool call's arguments are cut by
    max_tokens.
    """

    kind: Literal["status", "hang", "drop", "truncate", "error_event", "html", "cut_json"]
    status: int = 500
    error_type: str = "api_error"
    message: str = "it broke"
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 3600.0


@dataclass(frozen=True)
class Reply:
    """One reply. `stop_reason` is found from the blocks unless given; `output_tokens` likewise."""

    content: tuple[Block, ...] = ()
    stop_reason: str | None = None
    output_tokens: int | None = None
    fault: Fault | None = None
    refusal: str | None = None

    @staticmethod
    def text(words: str) -> "Reply":
        return Reply(({"type": "text", "text": words},))

    @staticmethod
    def use(name: str, **arguments: Any) -> "Reply":
        return Reply((use(name, **arguments),))

    @staticmethod
    def broken(kind: Any, **more: Any) -> "Reply":
        return Reply(({"type": "text", "text": "a reply that does not arrive"},), fault=Fault(kind, **more))

    def reason(self) -> str:
        if self.refusal:
            return "refusal"
        if self.fault and self.fault.kind == "cut_json":
            return "max_tokens"
        calls = any(block["type"] == "tool_use" for block in self.content)
        return self.stop_reason or ("tool_use" if calls else "end_turn")


def use(name: str, **arguments: Any) -> Block:
    """A tool call; the server gives it its id."""
    return {"type": "tool_use", "name": name, "input": arguments}


Brain = Callable[[Body, int], Reply]  # the request's body and how many were answered before it
Hook = Callable[[Body, int], Awaitable[None]]
