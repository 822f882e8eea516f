"""Other providers: one adapter for Chat Completions, each provider's quirk under the real client."""

import json
from pathlib import Path

import pytest

from healing.llm import prices
from healing.llm.chat import ChatModel
from healing.llm.errors import ContextFull, ModelError, NoAccess, Rejected, Retryable
from healing.llm.prices import UnknownModel, WrongPrices, cost, price_of
from healing.llm.protocol import Message, Request, Turn
from healing.llm.providers import PROVIDERS, Named
from healing.llm.translation import body_of
from tests.llm.test_anthropic import question, text
from tests.model_standin import Fault, Reply, scripted, use
from tests.model_standin.chat import MANNERS, ChatStandin, serve_chat

MODELS = {
    "groq": "groq/openai/gpt-oss-120b",
    "openai": "openai/gpt-6-sol",
    "gemini": "gemini/gemini-3.8-flash",
    "openrouter": "openrouter/anthropic/claude-sonnet-5.5",
    "ollama": "ollama/qwen3-coder",
}
EVERY = pytest.mark.parametrize("provider", sorted(MODELS))
OWN_TABLE = """checked = 2026-11-21
[[price]]
model = "openrouter/anthropic/claude-sonnet-5.5"
input = 2.0
output = 10.0
[[price]]
model = "ollama/qwen3-coder"
input = 0.0
output = 0.0
"""


@pytest.fixture(autouse=True)
def own_prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator's own table names the two providers whose models Heal can't know."""
    (tmp_path / "prices.toml").write_text(OWN_TABLE, encoding="utf-8")
    monkeypatch.setenv(prices.OWN, str(tmp_path / "prices.toml"))


def model_of(standin: ChatStandin) -> ChatModel:
    return ChatModel(MODELS[standin.provider], standin.key, standin.url)


def asking(provider: str, **more: object) -> Request:
    return question(model=MODELS[provider], **more)


async def once(provider: str, reply: Reply) -> Turn:
    async with serve_chat(scripted(reply), provider) as standin:
        model = model_of(standin)
        try:
            return await model.complete(asking(provider))
        finally:
            await model.close()


# LM-1
def test_every_provider_has_a_stand_in_and_every_quirk_is_data() -> None:
    assert set(MANNERS) == set(PROVIDERS) - {"anthropic"} == set(MODELS)


# LM-1
@EVERY
async def test_a_whole_reply_becomes_a_turn(provider: str) -> None:
    turn = await once(provider, Reply((text("I look."), use("look", at="src/a.py"))))
    assert turn.stop == "tools"
    assert turn.text == "I look."
    assert [(call.name, call.arguments) for call in turn.calls] == [("look", {"at": "src/a.py"})]
    assert turn.usage.input_tokens > 500
    assert turn.usage.cache_read_tokens > 500  # what was cached is not counted as input too
    assert turn.usage.output_tokens > 0
    assert Turn.model_validate_json(turn.model_dump_json()) == turn


# LM-1
@EVERY
async def test_a_conversation_goes_back_as_the_provider_wants_it(provider: str) -> None:
    """Each call answered by its own message, signatures echoed, no field that this provider refuses."""
    both = Reply((use("look", at="a"), use("look", at="b")))
    async with serve_chat(scripted(both, Reply.text("done")), provider) as standin:
        model = model_of(standin)
        first = await model.complete(asking(provider))
        results = tuple(
            {"type": "tool_result", "tool_use_id": call.id, "content": f"seen {n}", "is_error": n == 1}
            for n, call in enumerate(first.calls)
        )
        branch = (
            *asking(provider).branch,
            Message(role="assistant", blocks=first.blocks),
            Message(role="user", blocks=(*results, text("go on"))),
        )
        second = await model.complete(asking(provider).model_copy(update={"branch": branch}))
        await model.close()
    assert second.stop == "end"
    assert [asked.error for asked in standin.asked] == ["", ""]
    last = standin.asked[1].body["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert last[4]["content"] == "This failed.\nseen 1"


# LM-1
async def test_each_quirk_shows_in_the_request() -> None:
    bodies = {}
    for provider in MODELS:
        async with serve_chat(scripted(Reply.text("ok")), provider) as standin:
            model = model_of(standin)
            await model.complete(asking(provider))
            await model.close()
            bodies[provider] = standin.asked[0].body
    assert bodies["openai"]["reasoning_effort"] == "none"  # tools are refused else
    assert bodies["groq"]["reasoning_effort"] == "low"
    assert "reasoning_effort" not in bodies["ollama"]
    assert {p for p, body in bodies.items() if "max_completion_tokens" in body} == {"groq", "openai"}
    assert {p for p, body in bodies.items() if body["tools"][0]["function"].get("strict")} == {"openai"}
    assert {p for p, body in bodies.items() if "prompt_cache_key" in body} == {"openai"}
    assert {p for p, body in bodies.items() if "cache_control" in json.dumps(body)} == {"openrouter"}
    assert bodies["openrouter"]["model"] == "anthropic/claude-sonnet-5.5"
    assert not any({"temperature", "top_p", "tool_choice"} & set(body) for body in bodies.values())


# LM-1
@pytest.mark.parametrize(
    ("name", "effort"),
    [
        ("groq/openai/gpt-oss-20b", "low"),
        ("groq/qwen/qwen3-32b", "default"),
        ("groq/llama-4-scout", None),
        ("openai/gpt-6.1-sol", "none"),
        ("openai/gpt-5.6-luna", "none"),
        ("openai/gpt-5.1", "low"),
        ("openai/gpt-4.1", None),
        ("gemini/gemini-3.8-flash", "low"),
        ("openrouter/qwen/qwen3-coder", "low"),
        ("ollama/gpt-oss", None),
    ],
)
def test_each_model_is_told_an_effort_in_the_words_that_it_takes(name: str, effort: str | None) -> None:
    assert body_of(question(model=name), Named.of(name)).get("reasoning_effort") == effort


# LM-1, LM-6
async def test_what_the_provider_says_that_a_call_cost_is_what_is_booked() -> None:
    turn = await once("openrouter", Reply.text("ok"))
    assert turn.usage.billed_dollars == 0.0123
    assert cost(MODELS["openrouter"], turn.usage) == 0.0123
    assert cost(MODELS["ollama"], (await once("ollama", Reply.text("ok"))).usage) == 0.0


# LM-1, LM-5
@EVERY
@pytest.mark.parametrize("output", ['{"at": "src', '["at"]', "at=src", "[" * 5000])
async def test_arguments_that_are_no_object_reach_no_tool_and_go_back_as_they_were(provider: str, output: str) -> None:
    turn = await once(provider, Reply(({"type": "tool_use", "name": "look", "input": output},)))
    assert turn.calls[0].arguments == {"unreadable": output[:300]}
    assert turn.blocks[0]["said"] == output


# LM-1, LM-5
async def test_a_malformed_call_that_groq_refuses_is_a_reply_without_a_call() -> None:
    fault = Reply.broken("status", status=400, error_type="tool_use_failed", message="Failed to call a function.")
    turn = await once("groq", fault)
    assert (turn.stop, turn.calls) == ("end", ())
    assert "<function=look>" in turn.text
    assert turn.usage.input_tokens > 500  # what may have been billed is counted


# LM-5
@EVERY
@pytest.mark.parametrize(
    ("fault", "meant", "billed"),
    [
        (Fault("status", 429, "rate_limit_exceeded", "slow down", {"retry-after": "7"}), Retryable, False),
        (Fault("status", 401, "invalid_api_key", "no"), NoAccess, False),
        (Fault("status", 402, "insufficient_credits", "pay"), NoAccess, False),
        (Fault("status", 400, "bad", "maximum context length is 131072 tokens"), ContextFull, False),
        (Fault("status", 422, "bad", "no such field"), Rejected, False),
        (Fault("html"), Retryable, True),
        (Fault("drop"), Retryable, True),
    ],
    ids=lambda value: value.message if isinstance(value, Fault) else "",
)
async def test_failures_are_distinguished(provider: str, fault: Fault, meant: type[ModelError], billed: bool) -> None:
    with pytest.raises(meant) as reported:
        await once(provider, Reply((text("no"),), fault=fault))
    assert type(reported.value) is meant
    assert reported.value.billed is billed
    if fault.status == 429:
        assert isinstance(reported.value, Retryable)
        assert reported.value.after == 7.0


# LM-5
@EVERY
async def test_a_broken_server_is_asked_again_also_where_the_error_comes_with_status_200(provider: str) -> None:
    with pytest.raises(Retryable):
        await once(provider, Reply.broken("status", status=503, error_type="overloaded"))


# LM-5
async def test_a_used_up_quota_is_no_rate_limit() -> None:
    with pytest.raises(NoAccess):
        await once("openai", Reply.broken("status", status=429, error_type="insufficient_quota"))


# LM-5
@EVERY
async def test_a_cut_reply_and_a_refusal_are_distinguished(provider: str) -> None:
    assert (await once(provider, Reply((text("no"),), stop_reason="max_tokens"))).stop == "length"
    assert (await once(provider, Reply((text("no"),), refusal="cyber"))).stop == "refusal"


# LM-1
async def test_an_address_where_nobody_listens_is_an_error_that_can_be_retried() -> None:
    model = ChatModel(MODELS["groq"], "key", "http://127.0.0.1:9/v1")
    with pytest.raises(Retryable):
        await model.complete(asking("groq"))
    await model.close()


# LM-6
def test_a_model_without_a_price_is_refused_and_told_how_to_give_one() -> None:
    with pytest.raises(UnknownModel, match="HEAL_PRICES"):
        ChatModel("groq/some-new-model", "key")


# LM-6
def test_the_operators_prices_replace_the_shipped_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own.toml"
    path.write_text('checked = 2026-11-21\n[[price]]\nmodel = "claude-sonnet-5-5"\ninput = 1.0\noutput = 5.0\n')
    monkeypatch.setenv(prices.OWN, str(path))
    assert price_of("claude-sonnet-5-5").write_1h == 1.0  # the input's rate, where none of its own is given
    assert price_of("claude-opus-5-5").input == 4.0
    path.write_text('checked = 2026-11-21\n[[price]]\nmodel = "x"\ninput = -1.0\noutput = 5.0\n')
    monkeypatch.setenv(prices.OWN, str(path.rename(tmp_path / "bad.toml")))
    with pytest.raises(WrongPrices, match=r"bad\.toml"):
        price_of("claude-opus-5-5")


# LM-1
def test_a_name_without_a_provider_is_anthropics() -> None:
    assert Named.of("claude-sonnet-5-5").provider.name == "anthropic"
    assert Named.of("groq/openai/gpt-oss-120b").model == "openai/gpt-oss-120b"
    assert Named.of("my-gateway/claude").model == "my-gateway/claude"


# LM-1
def test_no_key_shows_in_a_models_words() -> None:
    assert "sk-secret" not in repr(ChatModel(MODELS["groq"], "sk-secret"))
