"""Models that may cheat more are judged more severely, whatever they say of themselves."""

import pytest

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.chat import ChatModel
from healing.llm.fallback import CHEAP, FallbackChain, ModelTier, alone
from healing.llm.prices import price_of, table
from healing.model import Outcome
from healing.pipeline.agent_work.model_set import ModelSet
from tests.model_standin import Brain, Reply, serve
from tests.model_standin.brains import sections, target_of
from tests.model_standin.chat import serve_chat
from tests.model_standin.replies import Body
from tests.pipeline.bench import Bench, candidate
from tests.verify.test_verifier import FILES, FIX, PYTEST

EVALUATED = ("calc.py", "n * 3", "int(eval('n * 2'))")
NEW_TEST = ("tests/test_more.py", "", "def test_more():\n    assert 2 > 1\n")


def hands_in(*edits: tuple[str, str, str]) -> Brain:
    def brain(body: Body, number: int) -> Reply:
        if target_of(body) not in sections(body):
            return Reply(())
        named = [{"file": file, "old_string": old, "new_string": new} for file, old, new in edits]
        reported = {"title": "t", "explanation": "e", "confidence": 99, "edits": named}
        return Reply.use("suggest_fix", error_ids=[target_of(body)], **reported)

    return brain


async def healed(place: Bench, brain: Brain, *, by_groq: bool) -> Outcome:
    async with serve(brain) as ours, serve_chat(brain, "groq") as groq:
        model = (
            ChatModel("groq/openai/gpt-oss-120b", groq.key, groq.url)
            if by_groq
            else AnthropicModel("claude-sonnet-5-5", ours.key, ours.url)
        )
        try:
            return await place.heal(FILES, {"README.md": "x\n"}, PYTEST, model_set=ModelSet(alone(model), Budget(10.0)))
        finally:
            await model.close()


# LM-1, CK-5
@pytest.mark.parametrize("edits", [(EVALUATED,), (FIX, NEW_TEST)])
async def test_what_is_offered_of_one_model_is_refused_of_one_that_may_cheat(
    bench: Bench,
    edits: tuple[tuple[str, str, str], ...],
) -> None:
    ordinary = await healed(bench, hands_in(*edits), by_groq=False)
    assert ordinary.verdict == "healed"
    strict = await healed(bench, hands_in(*edits), by_groq=True)
    assert strict.verdict == "not-healed"
    assert strict.proposals == ()
    (report,) = strict.unfixables
    assert report.reason in ("refused", "repeated")
    assert "refused by the guard" in report.tried


# LM-1, CK-4
async def test_its_fix_has_to_pass_three_times(bench: Bench) -> None:
    for by_groq, runs in ((False, 2), (True, 3)):
        (proposal,) = (await healed(bench, hands_in(FIX), by_groq=by_groq)).proposals
        assert proposal.evidence[0].runs == runs


# LM-1, LM-2
async def test_what_a_cheap_model_was_refused_is_begun_again_by_the_main_model(bench: Bench) -> None:
    async with serve(hands_in(FIX, NEW_TEST)) as first, serve(hands_in(FIX)) as second:
        cheap = AnthropicModel("claude-haiku-5-5", first.key, first.url)
        main = AnthropicModel("claude-sonnet-5-5", second.key, second.url)
        fallback_chain = FallbackChain((ModelTier(cheap), ModelTier(main, takes=CHEAP)))
        outcome = await bench.heal(
            FILES, {"README.md": "x\n"}, PYTEST, model_set=ModelSet(fallback_chain, Budget(10.0))
        )
        await cheap.close()
        await main.close()
    assert outcome.verdict == "healed"
    assert outcome.proposals[0].evidence[0].runs == 2, "proven as the main model's"
    assert first.asked


# CK-5
async def test_a_model_that_is_not_known_to_be_honest_is_judged_strictly() -> None:
    ordinary = {price.model for price in table().price if price.guard == "ordinary"}
    assert {price_of(name).guard for name in ("claude-haiku-5-5", "openai/gpt-6-sol")} == {"strict"}
    assert "claude-sonnet-5-5" in ordinary
    assert all(name.startswith("claude-") for name in ordinary)


# CK-5
async def test_no_word_of_a_model_makes_the_judge_mild(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, PYTEST)
    wish = candidate(verifier, EVALUATED).model_copy(
        update={"strict": True, "confidence": 100, "source": "agent:security"}
    )
    verdict = await verifier.submit(wish)
    assert "reaches out of the process" in verdict.message
    assert not verdict.accepted
