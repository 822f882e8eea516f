"""The Messages API through the official SDK: one request, one attempt, and a complete reply or an error.

The SDK takes two seconds to import, so that happens at the first call. Its own retry is off and its environment
variables are not read: key and address are passed in. Also works with every gateway that serves `/v1/messages` (another
`base_url`).
"""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from healing.llm.certificates import certificates
from healing.llm.errors import ContextFull, ModelError, NoAccess, Rejected, Retryable, Unavailable
from healing.llm.headers import pause_named, retry_advised
from healing.llm.prices import price_of
from healing.llm.protocol import Block, Request, Stop, ToolCall, Turn, Usage
from healing.llm.wholeness import MISSHAPEN, malformed_reply, without_blank_texts

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic
    from anthropic.types import Message

STOPS: Mapping[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tools",
    "max_tokens": "length",
    "refusal": "refusal",
    "pause_turn": "paused",
    "model_context_window_exceeded": "context",
}
NO_ACCESS = {"authentication_error", "permission_error", "billing_error"}
AGAIN = {"overloaded_error", "rate_limit_error", "api_error", "timeout_error"}


class AnthropicModel:
    """One model behind the Messages API. `seconds` bounds one attempt.

    `streaming` reads the reply as events, for proxies that cut silent connections. The constructor raises UnknownModel.
    """

    def __init__(
        self,
        name: str,
        api_key: str,
        base_url: str | None = None,
        seconds: float = 600.0,
        streaming: bool = False,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        price_of(name)
        self.name = name
        self.streaming = streaming
        self._api_key = api_key
        self._base_url = base_url or "https://api.anthropic.com"
        self._seconds = seconds
        self._now = now
        self._client: AsyncAnthropic | None = None

    def __repr__(self) -> str:
        return f"AnthropicModel({self.name!r})"  # never the key

    async def complete(self, request: Request) -> Turn:
        """One attempt. Raises Retryable, Rejected, ContextFull or NoAccess."""
        import anthropic
        import httpx2

        started = self._now()
        try:
            message, request_id = await self._send(body_of(request))
        except anthropic.APIStatusError as error:
            raise failure(error) from error
        except anthropic.APITimeoutError as error:
            raise Retryable(f"no reply within {self._seconds:.0f} s.", billed=True) from error
        except (anthropic.APIConnectionError, anthropic.APIResponseValidationError, httpx2.HTTPError) as error:
            raise Retryable(f"the connection broke ({_cause(error)}).", billed=True) from error
        return turn_of(message, request_id or "", self._now() - started)

    async def _send(self, body: dict[str, Any]) -> tuple[object, str | None]:
        if not self.streaming:
            message = await self.client().messages.create(**body)
            return message, getattr(message, "_request_id", None)
        events: list[str] = []
        async with self.client().messages.stream(**body) as stream:
            async for event in stream:
                events.append(event.type)
            if "message_stop" not in events:
                raise Retryable("the stream ended before the reply was whole.", billed=True)
            return await stream.get_final_message(), stream.request_id

    def client(self) -> "AsyncAnthropic":
        """The SDK's client, imported and created on first use."""
        if self._client is None:
            from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

            self._client = AsyncAnthropic(
                api_key=self._api_key,
                base_url=self._base_url,
                timeout=self._seconds,
                max_retries=0,
                http_client=DefaultAsyncHttpxClient(verify=certificates()),
            )
        return self._client

    async def close(self) -> None:
        """Closes its connections; a later call opens new ones."""
        if self._client is not None:
            await self._client.close()
            self._client = None


def body_of(request: Request) -> dict[str, Any]:
    """The request as the vendor's JSON, with three cache marks: on the system prompt, on the end of the trunk, and the
    automatic one. Without a trunk only the system prompt is marked: such a request warms the cache."""
    trunk_mark = {"type": "ephemeral", "ttl": "1h"} if request.trunk_ttl == "1h" else {"type": "ephemeral"}
    trunk: list[Block] = [{"type": "text", "text": text} for text in request.trunk]
    first, *rest = request.branch
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "tools": list(request.tools),
        "system": [{"type": "text", "text": request.system, "cache_control": trunk_mark}],
        "messages": [
            {"role": "user", "content": [*trunk, *first.blocks]},
            *({"role": message.role, "content": list(message.blocks)} for message in rest),
        ],
        "diagnostics": {"previous_message_id": request.after},
    }
    if trunk:
        trunk[-1]["cache_control"] = trunk_mark
        body["cache_control"] = {"type": "ephemeral"}
    if price_of(request.model).adaptive:
        body |= {"thinking": {"type": "adaptive"}, "output_config": {"effort": request.effort}}
    return body


def turn_of(message: object, request_id: str, seconds: float) -> Turn:
    """The reply as a Turn. Raises Retryable where it is not a complete message."""
    from anthropic.types import Message

    if not isinstance(message, Message):
        raise Retryable("the reply was not a message (a proxy's page?).", billed=True)
    try:
        return _turn(message, request_id, seconds)
    except MISSHAPEN as error:
        raise malformed_reply(error) from error


def _turn(message: "Message", request_id: str, seconds: float) -> Turn:
    stop = STOPS.get(message.stop_reason or "")
    if stop is None:
        raise Retryable(f"the reply ended without a known reason ({message.stop_reason!r}).", billed=True)
    blocks = without_blank_texts(
        tuple(
            block.model_dump(mode="json", exclude_unset=True, exclude=getattr(block, "__api_exclude__", None))
            for block in message.content
        )
    )
    return Turn(
        id=message.id,
        stop=stop,
        blocks=blocks,
        text="\n".join(block["text"] for block in blocks if block["type"] == "text"),
        calls=_calls(blocks),
        usage=_usage(message),
        detail=(message.stop_details.category or "") if message.stop_details else "",
        cache_miss=_cache_miss(message),
        request_id=request_id,
        seconds=seconds,
    )


def _calls(blocks: tuple[Block, ...]) -> tuple[ToolCall, ...]:
    """The tool calls; arguments that are not an object (from an odd gateway) become `{}` and fail the tool's own
    check."""
    return tuple(
        ToolCall(id=b["id"], name=b["name"], arguments=b["input"] if isinstance(b["input"], dict) else {})
        for b in blocks
        if b["type"] == "tool_use"
    )


def _usage(message: "Message") -> Usage:
    usage = message.usage
    written, by_ttl = usage.cache_creation_input_tokens or 0, usage.cache_creation
    hour = (by_ttl.ephemeral_1h_input_tokens or 0) if by_ttl else 0
    details = usage.output_tokens_details
    return Usage(
        input_tokens=usage.input_tokens,
        write_5m_tokens=max(written - hour, 0),
        write_1h_tokens=hour,
        cache_read_tokens=usage.cache_read_input_tokens or 0,
        output_tokens=usage.output_tokens,
        thinking_tokens=(details.thinking_tokens or 0) if details else 0,
        batched=usage.service_tier == "batch",
    )


def _cache_miss(message: "Message") -> str:
    reason = message.diagnostics.cache_miss_reason if message.diagnostics else None
    return reason.type if reason else ""


def failure(error: "APIStatusError") -> ModelError:
    """Translates an HTTP error. The error's own type decides: in a stream every error has the base class and status
    200."""
    kind, status = error.type or "", error.status_code
    message = f"{kind or 'HTTP ' + str(status)}: {str(error.message)[:500]}"
    if kind in NO_ACCESS or status in (401, 402, 403) or "spend_limit" in (error.error_code or ""):
        return NoAccess(f"The model's provider refused this account ({message}). Check the key and its credit.")
    again = retry_advised(error.response.headers)
    if again or kind in AGAIN or status in (408, 409, 429) or status >= 500:
        if again is False:
            return Unavailable(f"The model's provider can't answer and says not to ask again ({message}).")
        after = pause_named(error.response.headers)
        return Retryable(f"{message}.", billed=status == 200, after=after, status=status)
    if status == 413 or "prompt is too long" in message or "context window" in message:
        return ContextFull(f"The request is longer than the model can read ({message}).")
    return Rejected(f"The model's provider did not accept the request ({message}). This is a fault of Heal: report it.")


def _cause(error: BaseException) -> str:
    return type(error.__cause__ or error).__name__
