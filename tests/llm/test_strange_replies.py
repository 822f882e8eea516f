"""Refusals with words in their headers, and replies that claim to be messages and are none: under both real SDKs."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email.utils import formatdate
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from healing.llm.anthropic import AnthropicModel
from healing.llm.chat import ChatModel
from healing.llm.errors import ModelError, NoAccess, Rejected, Retryable, Unavailable
from healing.llm.headers import pause_named
from healing.llm.protocol import Model, Turn
from tests.llm.test_anthropic import question
from tests.model_standin.server import running

Json = dict[str, Any]
CLAUDE, OTHER = "claude-sonnet-5-5", "groq/openai/gpt-oss-120b"
BOTH = pytest.mark.parametrize("name", [CLAUDE, OTHER])


@asynccontextmanager
async def saying(name: str, body: Json, status: int, headers: dict[str, str]) -> AsyncIterator[Model]:
    """A model whose provider answers everything with this."""

    async def answer(_request: Request) -> Response:
        return Response(json.dumps(body), status, {**headers, "content-type": "application/json"})

    async with running(Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])])) as url:
        model = AnthropicModel(name, "k", url) if name == CLAUDE else ChatModel(name, "k", f"{url}/v1")
        try:
            yield model
        finally:
            await model.close()


async def asked(name: str, body: Json, status: int = 200, headers: dict[str, str] | None = None) -> Turn:
    async with saying(name, body, status, headers or {}) as model:
        return await model.complete(question(model=name))


async def refused(name: str, status: int, kind: str, details: Json | None = None, **headers: str) -> ModelError:
    error: Json = {"type": kind, "message": "no", "code": kind, **({"details": details} if details else {})}
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    with pytest.raises(ModelError) as reported:
        await asked(name, {"type": "error", "error": error}, status, named)
    return reported.value


# LM-5
@BOTH
async def test_a_provider_that_says_not_to_ask_again_is_not_asked_again(name: str) -> None:
    assert type(await refused(name, 529, "overloaded_error", x_should_retry="false")) is Unavailable
    assert type(await refused(name, 400, "invalid_request_error", x_should_retry="false")) is Rejected
    assert type(await refused(name, 400, "invalid_request_error", x_should_retry="true")) is Retryable
    assert type(await refused(name, 529, "overloaded_error", x_should_retry="perhaps")) is Retryable


# LM-5, LM-6
@pytest.mark.parametrize("limit", ["enforced", "contract", "linked_organization"])
async def test_a_spending_limit_of_the_account_is_no_rate_limit(limit: str) -> None:
    code = {"error_code": f"{limit}_spend_limit_reached"}
    assert type(await refused(CLAUDE, 429, "rate_limit_error", code)) is NoAccess
    assert type(await refused(CLAUDE, 429, "rate_limit_error")) is Retryable


# LM-5
@BOTH
async def test_how_long_to_wait_is_read_in_every_form(name: str) -> None:
    output = await refused(name, 429, "x", retry_after=formatdate(time.time() + 300, usegmt=True))
    assert isinstance(output, Retryable)
    assert output.after is not None
    assert 200 < output.after <= 302  # by the server's own clock, which it says in its Date


# LM-5
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Sun, 22 Nov 2026 12:00:30 GMT"}, None),
        ({"retry-after": "Sun, 22 Nov 2026 11:59:00 GMT", "date": "Sun, 22 Nov 2026 12:00:00 GMT"}, 0.0),
        *(({"retry-after": strange}, None) for strange in ("-5", "nan", "inf", "²", "soon", "1e999", "", "0x10")),
    ],
)
def test_a_pause_is_a_finite_number_of_seconds_or_none(headers: dict[str, str], seconds: float | None) -> None:
    assert pause_named(headers) == seconds


MESSAGE: Json = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": CLAUDE, "stop_reason": "end_turn",
    "content": [{"type": "text", "text": "ok"}], "usage": {"input_tokens": 9, "output_tokens": 1},
}  # fmt: skip
COMPLETION: Json = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": OTHER,
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
}  # fmt: skip
WHOLE = {CLAUDE: MESSAGE, OTHER: COMPLETION}


@BOTH
async def test_the_shapes_that_are_bent_below_are_whole_ones(name: str) -> None:
    assert (await asked(name, WHOLE[name])).text == "ok"


# LM-5
@pytest.mark.parametrize(
    ("name", "more"),
    [
        (CLAUDE, {"content": None}),
        (CLAUDE, {"content": "ok"}),
        (CLAUDE, {"content": [None]}),
        (CLAUDE, {"content": [{"type": "tool_use", "input": {}}]}),
        (CLAUDE, {"usage": None}),
        (CLAUDE, {"usage": {"input_tokens": "many", "output_tokens": 1}}),
        (CLAUDE, {"stop_reason": None}),
        (CLAUDE, {"stop_reason": ["end_turn"]}),
        (CLAUDE, {"stop_reason": "compaction"}),
        (CLAUDE, {"content": [{"type": "text", "text": "\ud800"}]}),
        (OTHER, {"choices": None}),
        (OTHER, {"choices": [None]}),
        (OTHER, {"choices": [{"index": 0, "finish_reason": "stop"}]}),
        (OTHER, {"usage": None}),
        (OTHER, {"usage": {"prompt_tokens": None, "completion_tokens": 1, "total_tokens": 1}}),
        (OTHER, {"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "\ud800"}}]}),
    ],
)
async def test_a_reply_that_only_looks_like_a_message_is_no_reply_and_may_be_asked_for_again(
    name: str, more: Json
) -> None:
    with pytest.raises(Retryable) as reported:
        await asked(name, {**WHOLE[name], **more})
    assert reported.value.billed


# LM-5
@BOTH
async def test_an_empty_page_of_json_is_no_reply(name: str) -> None:
    for body in ({}, {"error": {"message": "odd", "type": "api_error"}}):
        with pytest.raises(Retryable):
            await asked(name, body)
