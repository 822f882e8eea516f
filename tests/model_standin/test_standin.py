"""The stand-in keeps the vendor's rules: what it lets pass, the real one would take."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import anthropic
import pytest
from anthropic import AsyncAnthropic

from tests.model_standin import Reply, Standin, adversary, oracle, scripted, serve, use
from tests.model_standin.replies import Body

LONG = "Everything about the errors. " * 200
MARK = {"type": "ephemeral"}


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def standin(clock: Clock) -> AsyncIterator[Standin]:
    async with serve(lambda body, n: Reply.text(f"answer {n}"), clock) as running:
        yield running


def body_of(**more: Any) -> dict[str, Any]:
    return {
        "model": "claude-sonnet-5-5",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": LONG}],
    } | more


async def create(standin: Standin, key: str | None = None, **more: Any) -> anthropic.types.Message:
    async with AsyncAnthropic(api_key=key or standin.key, base_url=standin.url, max_retries=0) as client:
        extra = {name: more.pop(name) for name in ("temperature",) if name in more}
        return await client.messages.create(**body_of(**more), extra_body=extra)  # type: ignore[no-any-return]


def tool(**schema: Any) -> dict[str, Any]:
    return {
        "name": "look",
        "description": "d",
        "strict": True,
        "input_schema": {"type": "object", "properties": {}, **schema},
    }


CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]}
GO = {"role": "user", "content": "go"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"temperature": 1.0}, "sampling parameters"),
        ({"tool_choice": {"type": "any"}, "tools": [tool(additionalProperties=False)]}, "tool_choice"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, "budget_tokens"),
        ({"messages": [GO, {"role": "assistant", "content": "Sure:"}]}, "prefill"),
        ({"messages": [CALL, GO]}, "first message must use the user role"),
        ({"messages": [GO, CALL, GO]}, "without `tool_result`"),
        ({"messages": [{"role": "user", "content": "  \n"}]}, "non-whitespace"),
        ({"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t9"}]}]}, "unexpected"),
        ({"system": [{"type": "text", "text": "s", "cache_control": MARK}] * 5}, "maximum of 4"),
        ({"tools": [tool()]}, "additionalProperties"),
        ({"tools": [tool(additionalProperties=False, properties={"a": {"type": "integer", "minimum": 1}})]}, "minimum"),
        ({"output_config": {"effort": "extreme"}}, "effort"),
        ({"max_tokens": -1}, "max_tokens"),
    ],
)
async def test_a_request_that_breaks_a_rule_is_answered_400(standin: Standin, more: Body, words: str) -> None:
    with pytest.raises(anthropic.BadRequestError, match=words):
        await create(standin, **more)
    assert standin.answered == []


async def test_an_hour_after_five_minutes_is_refused(standin: Standin) -> None:
    system = [{"type": "text", "text": LONG, "cache_control": MARK}]
    hour = [{"type": "text", "text": LONG, "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    with pytest.raises(anthropic.BadRequestError, match="must not come after"):
        await create(standin, system=system, messages=[{"role": "user", "content": hour}])


async def test_keys_models_and_versions_are_checked(standin: Standin) -> None:
    with pytest.raises(anthropic.AuthenticationError):
        await create(standin, key="wrong")
    with pytest.raises(anthropic.NotFoundError):
        await create(standin, model="claude-2")
    with pytest.raises(anthropic.BadRequestError, match="anthropic-version"):
        await create(standin, extra_headers={"anthropic-version": "2023-06-01"})


# LM-3
async def test_the_cache_is_written_read_refreshed_and_forgotten(standin: Standin, clock: Clock) -> None:
    async def ask() -> tuple[int, int]:
        usage = (await create(standin, cache_control=MARK)).usage
        return usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0

    written, read = await ask()
    assert written > 1000
    assert read == 0
    clock.time = 299
    assert await ask() == (0, written)
    clock.time = 299 + 299
    assert await ask() == (0, written), "a hit refreshes the time"
    clock.time += 301
    assert await ask() == (written, 0)


async def test_a_short_prompt_is_silently_not_cached(standin: Standin) -> None:
    for _ in range(2):
        usage = (await create(standin, messages=[GO], cache_control=MARK)).usage
        assert (usage.cache_creation_input_tokens, usage.cache_read_input_tokens) == (0, 0)
        assert usage.input_tokens > 0


async def test_requests_fired_together_all_miss() -> None:
    together = asyncio.Barrier(3)

    async def hold(body: Body, n: int) -> None:
        await together.wait()

    async with serve(lambda body, n: Reply.text("ok"), before=hold) as running:
        first = await asyncio.gather(*(create(running, cache_control=MARK) for _ in range(3)))
    assert [message.usage.cache_read_input_tokens for message in first] == [0, 0, 0]


async def test_a_mark_looks_back_twenty_blocks_and_no_further(standin: Standin) -> None:
    many = [{"type": "text", "text": f"{n} {LONG}"} for n in range(40)]
    await create(standin, messages=[{"role": "user", "content": many[:10]}], cache_control=MARK)
    near = await create(standin, messages=[{"role": "user", "content": many[:29]}], cache_control=MARK)
    assert (near.usage.cache_read_input_tokens or 0) > 0
    await create(standin, messages=[{"role": "user", "content": many[1:6]}], cache_control=MARK)
    far = await create(standin, messages=[{"role": "user", "content": many[1:40]}], cache_control=MARK)
    assert far.usage.cache_read_input_tokens == 0


async def test_a_rewritten_message_is_named_as_the_cause_of_a_miss(standin: Standin) -> None:
    first = await create(standin, system="one")
    await create(
        standin,
        system="one",
        messages=[{"role": "user", "content": LONG + "changed"}],
        diagnostics={"previous_message_id": first.id},
    )
    await create(standin, system="other", diagnostics={"previous_message_id": first.id})
    assert standin.cache_misses() == ["messages_changed", "system_changed"]


async def test_tokens_are_counted_as_they_are_billed(standin: Standin) -> None:
    billed = (await create(standin)).usage.input_tokens
    async with AsyncAnthropic(api_key=standin.key, base_url=standin.url) as client:
        counted = await client.messages.count_tokens(model="claude-sonnet-5-5", messages=body_of()["messages"])
        models = await client.models.list()
    assert counted.input_tokens == billed
    assert "claude-sonnet-5-5" in [model.id for model in models.data]


async def test_a_streamed_reply_is_the_same_as_a_whole_one() -> None:
    reply = Reply(({"type": "text", "text": "Ich prüfe…"}, use("look", path="a/b.py", lines=[1, 2])))
    async with serve(lambda body, n: reply) as running:
        whole = await create(running)
        async with (
            AsyncAnthropic(api_key=running.key, base_url=running.url) as client,
            client.messages.stream(**body_of()) as stream,
        ):
            kinds = [event.type async for event in stream]
            streamed = await stream.get_final_message()
    assert [block.type for block in streamed.content] == ["thinking", "text", "tool_use"]
    assert streamed.content[1].text == whole.content[1].text  # type: ignore[union-attr]
    assert streamed.content[2].input == whole.content[2].input == {"path": "a/b.py", "lines": [1, 2]}  # type: ignore[union-attr]
    assert streamed.usage.output_tokens == whole.usage.output_tokens
    assert kinds[0] == "message_start"
    assert kinds[-1] == "message_stop"


async def test_hooks_are_awaited_before_and_after_the_answer() -> None:
    received: list[str] = []

    async def before(body: Body, n: int) -> None:
        received.append(f"before {n}")

    async def after(body: Body, n: int) -> None:
        received.append(f"after {n}")

    async with serve(scripted(Reply.text("a"), Reply.text("b")), before=before, after=after) as running:
        await create(running)
        await create(running)
    assert received == ["before 0", "after 0", "before 1", "after 1"]


TRUNK = """# Errors
## Error E1
place: src/a.py:3
## Error E2
place: tests/test_a.py:9
related: src/a.py:3 in f
## Error E3
place: src/unknown.py:1

Now work on error {}."""


def asked(target: str, *more: dict[str, Any]) -> Body:
    return body_of(messages=[{"role": "user", "content": TRUNK.format(target)}, *more])


def test_the_oracle_settles_all_errors_of_a_file_at_once_and_reports_what_it_does_not_know() -> None:
    brain = oracle({"src/a.py": ("x", "y")})
    fix = brain(asked("E2"), 0).content[0]
    assert fix["name"] == "suggest_fix"
    assert fix["input"]["error_ids"] == ["E1", "E2"]
    assert fix["input"]["edits"] == [{"file": "src/a.py", "old_string": "x", "new_string": "y"}]
    assert brain(asked("E3"), 0).content[0]["name"] == "report_unfixable"


def test_the_adversary_is_never_done() -> None:
    brain = adversary()
    replies = [brain(asked("E1"), n) for n in range(30)]
    assert not any(block.get("name") == "report_unfixable" for reply in replies for block in reply.content)
