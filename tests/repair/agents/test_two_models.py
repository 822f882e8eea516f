"""Two models on the same hard errors: the best proven fix is taken, then the smaller one (LM-2)."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.chat import ChatModel
from healing.llm.fallback import FallbackChain, ModelTier
from healing.model import Category, CIError, Cluster, Edit, Outcome, Proposal
from healing.pipeline.agent_work.model_set import ModelSet
from healing.repair.agents.estimate import estimates
from healing.repair.agents.strategies.compare_two_models import is_hard, size
from healing.view import DictView
from tests.model_standin import Brain, Standin, serve
from tests.model_standin.chat import ChatStandin, serve_chat
from tests.model_standin.reviewers import is_review
from tests.pipeline.bench import Bench, Files
from tests.repair.agents.scene import IMPATIENT
from tests.repair.agents.test_fallback import down, gives_up
from tests.repair.agents.test_strict_guard import hands_in
from tests.verify.test_verifier import FILES, FIX, PYTEST

WORDY = ("calc.py", "return n * 3", "twice = n + n\n    return twice")
WRONG = ("calc.py", "n * 3", "n * 5")


@dataclass
class Ring:
    """Where the two meet."""

    bench: Bench
    first: Standin
    second: ChatStandin
    fallback_chain: FallbackChain
    budget: Budget

    async def heal(self, files: Files = FILES, command: str = PYTEST) -> Outcome:
        return await self.bench.heal(
            files, {"README.md": "x\n"}, command, model_set=ModelSet(self.fallback_chain, self.budget)
        )


@contextlib.asynccontextmanager
async def ring(place: Bench, main: Brain, second_model: Brain) -> AsyncIterator[Ring]:
    async with serve(main) as first, serve_chat(second_model, "groq") as second:
        one = AnthropicModel("claude-sonnet-5-5", first.key, first.url)
        other = ChatModel("groq/openai/gpt-oss-120b", second.key, second.url)
        try:
            yield Ring(
                place, first, second, FallbackChain((ModelTier(one, IMPATIENT, second_model=other),)), Budget(10.0)
            )
        finally:
            await one.close()
            await other.close()


# LM-2
async def test_of_two_proven_fixes_the_smaller_one_is_taken_and_both_models_are_paid(bench: Bench) -> None:
    for main, second_model in ((WORDY, FIX), (FIX, WORDY)):
        async with ring(bench, hands_in(main), hands_in(second_model)) as at:
            outcome = await at.heal()
            asked = [[is_review(one.body) for one in model.asked] for model in (at.first, at.second)]
            assert (sorted(asked[0]), asked[1]) == ([False, True, True], [False])
        assert outcome.verdict == "healed"
        (proposal,) = outcome.proposals
        assert [(e.old_string.strip(), e.new_string.strip()) for e in proposal.edits] == [
            ("return n * 3", "return n * 2")
        ]
        assert outcome.spending.calls == at.budget.spending.calls == 4, "two fixes, and a second opinion on each"
        assert outcome.unfixables == ()


# LM-2
async def test_what_one_model_proved_counts_whatever_became_of_the_other(bench: Bench) -> None:
    for other in (down, gives_up, hands_in(WRONG)):
        async with ring(bench, other, hands_in(FIX)) as at:
            assert (await at.heal()).verdict == "healed"
        async with ring(bench, hands_in(FIX), other) as at:
            assert (await at.heal()).verdict == "healed"


# LM-2, CK-5
async def test_a_second_model_that_may_cheat_is_judged_strictly(bench: Bench) -> None:
    async with ring(bench, gives_up, hands_in(FIX, ("tests/test_new.py", "", "def test_new():\n    pass\n"))) as at:
        outcome = await at.heal()
    assert outcome.verdict == "not-healed"
    assert outcome.unfixables[0].reason == "given-up", "the main model's own report is what a person reads"


# LM-2
async def test_about_simple_errors_one_model_is_asked(bench: Bench) -> None:
    files = {"shop.py": "def same(it):\n    return quux(it)\n"}
    async with ring(bench, hands_in(("shop.py", "quux(it)", "it")), hands_in(("shop.py", "quux(it)", "it"))) as at:
        outcome = await at.heal(files, "ruff check .")
        assert (outcome.verdict, len(at.second.asked)) == ("healed", 0)


def error(category: Category) -> CIError:
    return CIError(id=f"E{category}", tool="t", category=category, file="a.py", line=1, message="m")


# LM-2, LM-6
def test_a_plan_counts_both_models_where_errors_are_hard() -> None:
    view = DictView({"a.py": b"x = 1\n"})
    for category, twice in ((Category.TYPE, True), (Category.TEST, True), (Category.LINT, False)):
        one = error(category)
        cluster = Cluster(id="C", causes=(), error_ids=(one.id,), zone=("a.py",), phase="fast")
        (alone,) = estimates([cluster], [one], view)
        (both,) = estimates([cluster], [one], view, second_model="claude-opus-5-5")
        assert is_hard([one]) is twice
        assert both.calls == alone.calls * (1 + twice)
        assert (both.dollars > alone.dollars * 2) is twice


def test_the_size_of_a_fix_is_what_goes_and_what_comes() -> None:
    edits = (Edit(file="a.py", old_string="abc", new_string="ab"), Edit(file="b.py", old_string="", new_string="x"))
    proposal = Proposal(
        id="P", source="s", phase="slow", title="t", explanation="e", confidence=1, error_ids=("E",), edits=edits,
        wide=(), reverse=(), evidence=(), base_tree="",
    )  # fmt: skip
    assert size(proposal) == 6
