"""The Messages API adapter over real TCP with the real SDK, against the strict stand-in."""

import asyncio

import pytest

from healing.llm.anthropic import AnthropicModel
from healing.llm.errors import ContextFull, ModelError, NoAccess, Rejected, Retryable
from healing.llm.prices import UnknownModel
from healing.llm.protocol import Message, Request, Turn
from tests.model_standin import Fault, Reply, Standin, scripted, serve, use

BOTH = pytest.mark.parametrize("streaming", [False, True], ids=["whole", "stream"])
TOOL = {
    "name": "look",
    "description": "Looks.",
    "input_schema": {
        "type": "object",
        "properties": {"at": {"type": "string"}},
        "required": ["at"],
        "additionalProperties": False,
    },
    "strict": True,
}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def question(words: str = "go", model: str = "claude-sonnet-5-5", **more: object) -> Request:
    return Request(
        model=model,
        system="You look at things. " * 100,
        tools=(TOOL,),
        trunk=("The errors. " * 300, "The files. " * 300),
        branch=(Message(role="user", blocks=(text(words),)),),
        effort="low",
        **more,
    )


def model_of(standin: Standin, streaming: bool = False, **more: object) -> AnthropicModel:
    return AnthropicModel("claude-sonnet-5-5", standin.key, standin.url, streaming=streaming, **more)


async def once(reply: Reply, streaming: bool = False, **more: object) -> Turn:
    async with serve(scripted(reply)) as standin:
        model = model_of(standin, streaming, **more)
        try:
            return await model.complete(question())
        finally:
            await model.close()


# LM-1
@BOTH
async def test_a_whole_reply_becomes_a_turn(streaming: bool) -> None:
    turn = await once(Reply((text("I look."), use("look", at="src/a.py"))), streaming)
    assert turn.stop == "tools"
    assert turn.text == "I look."
    assert [(call.name, call.arguments) for call in turn.calls] == [("look", {"at": "src/a.py"})]
    assert turn.usage.write_5m_tokens > 1000
    assert turn.usage.output_tokens > 0
    assert Turn.model_validate_json(turn.model_dump_json()) == turn


# LM-1, LM-3
async def test_the_request_has_three_marks_an_effort_and_no_sampling_parameter() -> None:
    async with serve(scripted(Reply.text("ok"))) as standin:
        model = model_of(standin)
        await model.complete(question(trunk_ttl="1h"))
        await model.close()
    asked = standin.asked[0]
    hour = {"type": "ephemeral", "ttl": "1h"}
    assert asked.headers["authorization"] == f"Bearer {standin.key}"
    assert asked.body["system"][-1]["cache_control"] == hour
    assert [block.get("cache_control") for block in asked.body["messages"][0]["content"]] == [None, hour, None]
    assert asked.body["cache_control"] == {"type": "ephemeral"}
    assert asked.body["thinking"] == {"type": "adaptive"}
    assert asked.body["output_config"] == {"effort": "low"}
    assert asked.body["max_tokens"] == 16_000
    assert not {"temperature", "top_p", "top_k", "tool_choice"} & set(asked.body)


# LM-3
@BOTH
async def test_history_goes_back_unchanged_with_its_signatures_and_is_read_from_the_cache(streaming: bool) -> None:
    async with serve(scripted(Reply.use("look", at="a"), Reply.text("done"))) as standin:
        model = model_of(standin, streaming)
        first = await model.complete(question())
        result = {"type": "tool_result", "tool_use_id": first.calls[0].id, "content": "seen", "is_error": False}
        branch = (
            *question().branch,
            Message(role="assistant", blocks=first.blocks),
            Message(role="user", blocks=(result,)),
        )
        second = await model.complete(question().model_copy(update={"branch": branch, "after": first.id}))
        await model.close()
    assert [block["type"] for block in first.blocks] == ["thinking", "tool_use"]
    assert second.stop == "end"
    assert second.usage.cache_read_tokens == first.usage.prompt_tokens
    assert second.cache_miss == ""


# LM-3
async def test_an_edited_history_is_refused_because_thinking_is_bound_to_it() -> None:
    async with serve(scripted(Reply.use("look", at="a"), Reply.text("done"))) as standin:
        model = model_of(standin)
        first = await model.complete(question())
        result = {"type": "tool_result", "tool_use_id": first.calls[0].id, "content": "seen", "is_error": False}
        branch = (
            Message(role="user", blocks=(text("another opening"),)),
            Message(role="assistant", blocks=first.blocks),
            Message(role="user", blocks=(result,)),
        )
        with pytest.raises(Rejected, match="bound to a different conversation"):
            await model.complete(question().model_copy(update={"branch": branch}))
        await model.close()


# LM-5
@pytest.mark.parametrize(
    ("status", "kind", "expected", "billed"),
    [
        (400, "invalid_request_error", Rejected, False),
        (401, "authentication_error", NoAccess, False),
        (402, "billing_error", NoAccess, False),
        (403, "permission_error", NoAccess, False),
        (404, "not_found_error", Rejected, False),
        (408, "timeout_error", Retryable, False),
        (409, "conflict_error", Retryable, False),
        (413, "request_too_large", ContextFull, False),
        (429, "rate_limit_error", Retryable, False),
        (500, "api_error", Retryable, False),
        (529, "overloaded_error", Retryable, False),
    ],
)
async def test_each_status_is_distinguished(status: int, kind: str, expected: type[ModelError], billed: bool) -> None:
    with pytest.raises(expected) as caught:
        await once(Reply.broken("status", status=status, error_type=kind, message="no"))
    assert type(caught.value) is expected
    assert caught.value.billed is billed
    assert "no" in str(caught.value)


# LM-5
async def test_a_prompt_that_is_too_long_is_a_full_context() -> None:
    fault = Fault("status", 400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")
    with pytest.raises(ContextFull):
        await once(Reply(fault=fault))


# LM-5
async def test_retry_after_is_handed_on_and_not_slept() -> None:
    fault = Fault("status", 429, "rate_limit_error", "slow down", {"retry-after": "90"})
    async with asyncio.timeout(10):
        with pytest.raises(Retryable) as caught:
            await once(Reply(fault=fault))
    assert caught.value.after == 90


# LM-5
@BOTH
async def test_a_dropped_connection_is_worth_another_try(streaming: bool) -> None:
    with pytest.raises(Retryable, match="connection broke") as caught:
        await once(Reply.broken("drop"), streaming)
    assert caught.value.billed


# LM-5
async def test_a_stream_that_ends_early_but_cleanly_is_no_reply() -> None:
    with pytest.raises(Retryable, match="ended before"):
        await once(Reply.broken("truncate"), True)


# LM-5
async def test_an_overload_in_mid_stream_is_known_by_its_type() -> None:
    fault = Fault("error_event", error_type="overloaded_error", message="Overloaded")
    with pytest.raises(Retryable, match="overloaded_error") as caught:
        await once(Reply((text("half"),), fault=fault), True)
    assert caught.value.billed


# LM-5
@BOTH
async def test_a_proxys_page_with_status_200_is_no_reply(streaming: bool) -> None:
    with pytest.raises(Retryable):
        await once(Reply.broken("html"), streaming)


# LM-5
@BOTH
async def test_a_silent_server_ends_at_the_time_limit(streaming: bool) -> None:
    with pytest.raises(Retryable, match="no reply within") as caught:
        await once(Reply.broken("hang", seconds=30), streaming, seconds=0.3)
    assert caught.value.billed


async def test_nobody_listening_is_worth_another_try() -> None:
    model = AnthropicModel("claude-sonnet-5-5", "k", "http://127.0.0.1:9")
    with pytest.raises(Retryable, match="connection broke"):
        await model.complete(question())
    await model.close()


# LM-5
@BOTH
async def test_a_tool_call_cut_by_the_limit_is_distinguished_from_a_whole_one(streaming: bool) -> None:
    turn = await once(Reply((use("look", at="a long path"),), fault=Fault("cut_json")), streaming)
    assert turn.stop == "length"


# LM-5
@BOTH
async def test_a_refusal_names_its_category(streaming: bool) -> None:
    turn = await once(Reply((text("I can't."),), refusal="cyber"), streaming)
    assert (turn.stop, turn.detail) == ("refusal", "cyber")


async def test_a_wrong_key_is_no_access() -> None:
    async with serve(scripted()) as standin:
        model = AnthropicModel("claude-sonnet-5-5", "wrong", standin.url)
        with pytest.raises(NoAccess, match="Check the key"):
            await model.complete(question())
        await model.close()


# LM-6
def test_a_model_without_a_price_is_refused_before_it_is_asked() -> None:
    with pytest.raises(UnknownModel, match="gpt-9"):
        AnthropicModel("gpt-9", "k")


def test_the_key_is_not_in_the_models_repr() -> None:
    assert "secret" not in repr(AnthropicModel("claude-sonnet-5-5", "secret"))
