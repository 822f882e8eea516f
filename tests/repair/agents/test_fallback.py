"""Several models for one cluster: who takes over what, always anew, and what is warmed before they all ask."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.chat import ChatModel
from healing.llm.fallback import CHEAP, OUTAGE, STUCK, FallbackChain, ModelTier
from healing.llm.protocol import Model
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.loop import run_agent
from healing.repair.agents.task import AgentResult, AgentTask
from healing.repair.agents.tiers import run_tiers
from healing.repair.agents.warming import trunk_ttl, warm
from healing.steps import MemorySteps
from tests.model_standin import Brain, Reply, Standin, serve
from tests.model_standin.brains import oracle, target_of
from tests.model_standin.chat import ChatStandin, serve_chat
from tests.model_standin.replies import Body
from tests.repair.agents.scene import FIXES, IDS, IMPATIENT, Scene, scene


def down(_body: Body, _number: int) -> Reply:
    return Reply.broken("status", status=529, error_type="overloaded_error", message="Overloaded")


def gives_up(body: Body, _number: int) -> Reply:
    return Reply.use("report_unfixable", error_ids=[target_of(body)], tried="t", why="too hard for me", advice="a")


async def through_tiers(stage: Scene, *tiers: tuple[Model, frozenset[str]]) -> AgentResult:
    fallback_chain = FallbackChain(tuple(ModelTier(model, IMPATIENT, takes) for model, takes in tiers))

    async def work(task: AgentTask, tier: ModelTier) -> AgentResult:
        agent_context = AgentContext(tier.model, stage.steps, stage.budget, None, tier.retry)
        return await run_agent(task, stage.workspace, stage.verifier, agent_context)

    return await run_tiers(stage.task(), fallback_chain, work)


@contextlib.asynccontextmanager
async def anthropic(brain: Brain, name: str = "claude-sonnet-5-5") -> AsyncIterator[tuple[AnthropicModel, Standin]]:
    async with serve(brain) as standin:
        model = AnthropicModel(name, standin.key, standin.url)
        yield model, standin
        await model.close()


@contextlib.asynccontextmanager
async def groq(brain: Brain) -> AsyncIterator[tuple[ChatModel, ChatStandin]]:
    async with serve_chat(brain, "groq") as standin:
        model = ChatModel("groq/openai/gpt-oss-120b", standin.key, standin.url)
        yield model, standin
        await model.close()


# LM-2
async def test_another_provider_takes_what_the_first_one_could_not_serve(tmp_path: Path) -> None:
    async with scene(tmp_path, down) as stage, anthropic(down) as (first, _), groq(oracle(FIXES)) as (second, asked):
        result = await through_tiers(stage, (first, frozenset()), (second, OUTAGE))
    assert {i for proposal in result.proposals for i in proposal.error_ids} == set(IDS)
    assert result.unfixables == ()
    assert all("assistant" not in str(one.body["messages"][0]) for one in asked.asked)
    assert asked.asked[0].body["messages"][-1]["role"] == "user"  # begun anew: no word of the other's conversation


# LM-1, LM-2
async def test_a_cheap_first_model_leaves_the_rest_to_the_main_model(tmp_path: Path) -> None:
    known = dict(list(FIXES.items())[:2])
    async with (
        scene(tmp_path, down) as stage,
        anthropic(oracle(known), "claude-haiku-5-5") as (cheap, _),
        anthropic(oracle(FIXES)) as (main, asked),
    ):
        result = await through_tiers(stage, (cheap, frozenset()), (main, CHEAP))
    assert {i for proposal in result.proposals for i in proposal.error_ids} == set(IDS)
    first = str(asked.asked[0].body["messages"][0]["content"])
    assert IDS[3] in first
    assert IDS[1] not in first  # what is cured does not travel up


# LM-2, AG-4
async def test_an_honest_report_of_a_full_model_is_the_end(tmp_path: Path) -> None:
    async with (
        scene(tmp_path, down) as stage,
        anthropic(gives_up) as (main, _),
        anthropic(oracle(FIXES)) as (more, asked),
    ):
        result = await through_tiers(stage, (main, frozenset()), (more, STUCK | OUTAGE))
    assert {report.reason for report in result.unfixables} == {"given-up"}
    assert asked.asked == []


# LM-2
async def test_where_everybody_is_down_each_error_has_one_report(tmp_path: Path) -> None:
    async with scene(tmp_path, down) as stage, anthropic(down) as (first, _), groq(down) as (second, _):
        result = await through_tiers(stage, (first, frozenset()), (second, OUTAGE))
    reported = [i for report in result.unfixables for i in report.error_ids]
    assert sorted(reported) == sorted(IDS)
    assert {report.reason for report in result.unfixables} == {"model-unavailable"}


# LM-4
async def test_the_cache_is_warmed_once_with_the_very_tools_and_rules(tmp_path: Path) -> None:
    async with scene(tmp_path, oracle(FIXES)) as stage:
        model = AnthropicModel("claude-sonnet-5-5", stage.standin.key, stage.standin.url)
        agent_context = AgentContext(model, stage.steps, Budget(10.0))
        await warm(agent_context, stage.task(), agents=8)
        await warm(agent_context, stage.task(), agents=8)  # again, as after a crash: it is a durable step
        await stage.run()
        await model.close()
    warmed, first, *_ = stage.standin.answered
    assert warmed.body["max_tokens"] == 0
    assert warmed.usage["output_tokens"] == 0
    assert (warmed.body["tools"], warmed.body["system"]) == (first.body["tools"], first.body["system"])
    assert first.usage["cache_read_input_tokens"] > 1_000


# LM-4, LM-6
async def test_nothing_is_warmed_for_one_agent_a_small_budget_or_a_cache_that_fills_itself(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path, oracle(FIXES)) as stage, groq(oracle(FIXES)) as (other, asked):
        model = AnthropicModel("claude-sonnet-5-5", stage.standin.key, stage.standin.url)
        await warm(AgentContext(model, MemorySteps(), Budget(10.0)), stage.task(), agents=1)
        await warm(AgentContext(model, MemorySteps(), Budget(0.05)), stage.task(), agents=8)
        await warm(AgentContext(other, MemorySteps(), Budget(10.0)), stage.task(), agents=8)
        await model.close()
    assert stage.standin.asked == []
    assert asked.asked == []


# LM-4
async def test_a_trunk_is_kept_for_an_hour_where_a_check_is_slow_and_every_life_asks_the_same(tmp_path: Path) -> None:
    for seconds, kept in (([], "5m"), ([20.0, 149.9], "5m"), ([3.0, 150.0], "1h")):
        steps = MemorySteps()
        assert await trunk_ttl(steps, "C1", seconds) == kept
        assert await trunk_ttl(steps, "C1", [10_000.0]) == kept
    async with scene(tmp_path, oracle(FIXES)) as stage:
        model = AnthropicModel("claude-sonnet-5-5", stage.standin.key, stage.standin.url)
        await warm(AgentContext(model, stage.steps, Budget(10.0)), stage.task(trunk_ttl="1h"), agents=8)
        await stage.run(trunk_ttl="1h")
        await model.close()
    hour = {"type": "ephemeral", "ttl": "1h"}
    warmed, first, *_ = (asked.body for asked in stage.standin.asked)
    assert warmed["system"] == first["system"]
    assert first["system"][0]["cache_control"] == first["messages"][0]["content"][1]["cache_control"] == hour
    assert "cache_control" not in str(warmed["messages"]), "nobody will say the placeholder again"
    assert {asked.status for asked in stage.standin.asked} == {200}
