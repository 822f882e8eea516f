"""Chat Completions through the official SDK (an optional extra): one request, one attempt, a complete reply or an
error.

Differences between providers are in healing/llm/providers.py. The SDK's retry, environment variables and sampling
parameters are not used, as with the Messages API. Blocks are stored in the shape of the Messages API and translated by
healing/llm/translation.py.
"""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from healing.llm.certificates import certificates
from healing.llm.errors import ContextFull, ModelError, NoAccess, NotInstalled, Rejected, Retryable, Unavailable
from healing.llm.headers import pause_named, retry_advised
from healing.llm.prices import price_of
from healing.llm.protocol import Request, Stop, ToolCall, Turn, Usage
from healing.llm.providers import Named
from healing.llm.translation import blocks_of, body_of
from healing.llm.wholeness import MISSHAPEN, malformed_reply, without_blank_texts

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from openai.types import CompletionUsage
    from openai.types.chat import ChatCompletion

STOPS: Mapping[str, Stop] = {
    "stop": "end",
    "tool_calls": "tools",
    "function_call": "tools",
    "length": "length",
    "content_filter": "refusal",
}
SPENT = {"insufficient_quota", "billing_hard_limit_reached", "credit_exhausted"}
FULL = ("context_length_exceeded", "maximum context length", "context window", "prompt is too long", "too many tokens")


class ChatModel:
    """One model of a provider that serves Chat Completions. `seconds` bounds one attempt.

    The constructor raises UnknownModel; `complete` raises NotInstalled where the extra is missing.
    """

    def __init__(
        self,
        name: str,
        api_key: str,
        base_url: str | None = None,
        seconds: float = 600.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        price_of(name)
        self.name = name
        self._named = Named.of(name)
        self._api_key = api_key
        self._base_url = base_url or self._named.provider.url
        self._seconds = seconds
        self._now = now
        self._client: AsyncOpenAI | None = None

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r})"  # never the key

    async def complete(self, request: Request) -> Turn:
        """One attempt. Raises Retryable, Rejected, ContextFull, NoAccess or NotInstalled."""
        try:
            import httpx2
            import openai
        except ImportError as error:
            raise NotInstalled(
                f"The model {self.name} needs the package openai, which is not installed. "
                f"Install Heal with its extra: pip install 'heal[openai]'."
            ) from error
        started = self._now()
        try:
            reply = await self._open().chat.completions.create(**body_of(request, self._named))
        except openai.APIStatusError as error:
            malformed = _malformed(error)
            if malformed is None:
                raise failure(error, self._named.provider.name) from error
            return _unreadable_turn(malformed, request, self._now() - started)
        except openai.APITimeoutError as error:
            raise Retryable(f"no reply within {self._seconds:.0f} s.", billed=True) from error
        except (openai.APIConnectionError, openai.APIResponseValidationError, httpx2.HTTPError) as error:
            raise Retryable(
                f"the connection broke ({type(error.__cause__ or error).__name__}).", billed=True
            ) from error
        try:
            return self._turn(reply, self._now() - started)
        except MISSHAPEN as error:
            raise malformed_reply(error) from error

    def _open(self) -> "AsyncOpenAI":
        if self._client is None:
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient

            self._client = AsyncOpenAI(
                api_key=self._api_key or "none",
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

    def _turn(self, reply: object, seconds: float) -> Turn:
        """The reply as a Turn. Raises Retryable where it is not a complete message; an error inside a reply with status
        200 (OpenRouter sends these) is raised as what it means."""
        from openai.types.chat import ChatCompletion

        if not isinstance(reply, ChatCompletion):
            raise Retryable("the reply was not a message (a proxy's page?).", billed=True)
        reraise_inside(reply, self._named.provider.name)
        choice = reply.choices[0] if reply.choices else None
        stop = STOPS.get(str(choice.finish_reason)) if choice else None
        if choice is None or stop is None:
            raise Retryable("the reply ended without a known reason.", billed=True)
        blocks = without_blank_texts(
            blocks_of(choice.message.model_dump(mode="json", exclude_none=True), self._named.provider)
        )
        calls = tuple(
            ToolCall(id=b["id"], name=b["name"], arguments=b["input"]) for b in blocks if b["type"] == "tool_use"
        )
        return Turn(
            id=reply.id or "",
            stop="tools" if calls and stop == "end" else stop,  # some providers send `stop` with complete calls
            blocks=blocks,
            text="\n".join(block["text"] for block in blocks if block["type"] == "text"),
            calls=calls,
            usage=_usage(reply.usage),
            detail=choice.message.refusal or "",
            request_id=str(getattr(reply, "_request_id", None) or ""),
            seconds=seconds,
        )


def _usage(usage: "CompletionUsage | None") -> Usage:
    """Billed tokens; here the prompt's include those from the cache. Raises Retryable where the usage is missing,
    because what can't be counted can't be charged to the budget."""
    if usage is None:
        raise Retryable("the reply did not say what it cost.", billed=True)
    prompt, details = usage.prompt_tokens_details, usage.completion_tokens_details
    cached = (prompt.cached_tokens or 0) if prompt else 0
    written = (prompt.cache_write_tokens or 0) if prompt else 0
    detail = (usage.model_extra or {}).get("cost")
    return Usage(
        input_tokens=max(usage.prompt_tokens - cached - written, 0),
        write_5m_tokens=written,
        cache_read_tokens=cached,
        output_tokens=usage.completion_tokens,
        thinking_tokens=(details.reasoning_tokens or 0) if details else 0,
        billed_dollars=float(detail) if isinstance(detail, int | float) and detail >= 0 else None,
    )


def reraise_inside(reply: "ChatCompletion", provider: str) -> None:
    """Raises the error that a reply of status 200 contains, if any."""
    detail = (reply.model_extra or {}).get("error")
    if not isinstance(detail, dict):
        return
    code = detail.get("code")
    status = code if isinstance(code, int) else 0 if code else 500  # an error without a code may be temporary
    raise _meaning(status, str(code), str(detail.get("message", ""))[:500], None, billed=True, provider=provider)


def failure(error: "APIStatusError", provider: str) -> ModelError:
    """Translates an HTTP error."""
    code = str(error.code or error.type or "")
    headers = error.response.headers
    after, again = pause_named(headers), retry_advised(headers)
    message = str(error.message)[:500]
    meaning = _meaning(error.status_code, code, message, after, billed=False, provider=provider)
    if again is False and isinstance(meaning, Retryable):
        return Unavailable(f"{provider} can't answer and says not to ask again ({message}).")
    if again and isinstance(meaning, Rejected):
        return Retryable(str(meaning), after=after, status=error.status_code)
    return meaning


def _meaning(status: int, code: str, message: str, after: float | None, billed: bool, provider: str) -> ModelError:
    detail = f"{code or 'HTTP ' + str(status)}: {message}"
    if status in (401, 402, 403) or code in SPENT:
        return NoAccess(f"{provider} refused this account ({detail}). Check the key and its credit.", billed=billed)
    if status in (408, 409, 429) or status >= 500:
        return Retryable(f"{detail}.", billed=billed, after=after, status=status)
    if status == 413 or any(word in detail for word in FULL):
        return ContextFull(f"The request is longer than the model can read ({detail}).", billed=billed)
    return Rejected(f"{provider} did not accept the request ({detail}).", billed=billed)


def _malformed(error: "APIStatusError") -> str | None:
    """The text of a model's reply that its provider could not parse as a tool call (Groq's `tool_use_failed`); else
    None."""
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error", body)
    if isinstance(inner, dict) and inner.get("code") == "tool_use_failed":
        return str(inner.get("failed_generation") or "")[:4_000]
    return None


def _unreadable_turn(text: str, request: Request, seconds: float) -> Turn:
    """A turn without a call, which the stop hook answers. The provider doesn't report what it billed, so the upper
    bound is counted."""
    message = f"[a tool call that could not be read] {text}".strip()
    bound = len(request.model_dump_json().encode("utf-8", "replace"))
    usage = Usage(input_tokens=bound, output_tokens=len(text.encode()))
    return Turn(
        id="", stop="end", blocks=({"type": "text", "text": message},), text=message, usage=usage, seconds=seconds
    )
