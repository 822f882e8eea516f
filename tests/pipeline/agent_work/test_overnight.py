"""Overnight: one batch for all clusters, proven by the verifier; only what it leaves goes to agents (LM-4)."""

from dataclasses import dataclass, field

from healing.llm.anthropic import AnthropicModel
from healing.llm.batches import PollPolicy
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.model import Outcome
from healing.pipeline.agent_work.model_set import ModelSet
from tests.model_standin import Reply, Standin, oracle, serve, use
from tests.model_standin.brains import sections
from tests.model_standin.replies import Body
from tests.model_standin.reviewers import is_review
from tests.pipeline.agent_work.test_agent_pool import BASE, CHANGE, FIXES, RUFF
from tests.pipeline.bench import Bench


async def no_pause(seconds: float) -> None:
    """For batches whose pauses don't matter."""


QUICK = PollPolicy(sleep=no_pause)


@dataclass
class Sleeper:
    """In a batch it knows the cure of what `knows` names and hands in nonsense for `fails`; awake it knows all."""

    knows: tuple[str, ...]
    fails: tuple[str, ...] = ()
    awake: list[str] = field(default_factory=list)  # trunks of conversations

    def __call__(self, body: Body, number: int) -> Reply:
        trunk = "\n".join(block["text"] for block in body["messages"][0]["content"])
        if "You have one reply" not in trunk:
            if body["max_tokens"]:
                self.awake.append(trunk)
            return oracle(FIXES)(body, number)
        calls = []
        for name, about in sections(body).items():
            file = next(file for file in FIXES if f"place: {file}" in about)
            old, new = FIXES[file]
            if file in self.fails:
                new = "quux_of_another_name(it)"
            if file in (*self.knows, *self.fails):
                reported = {"title": "t", "explanation": "e", "confidence": 80}
                edits = [{"file": file, "old_string": old, "new_string": new}]
                calls.append(use("suggest_fix", error_ids=[name], edits=edits, **reported))
        return Reply(tuple(calls)) if calls else Reply.text("nothing that I am sure of")


async def heal(bench: Bench, brain: Sleeper, budget: Budget) -> tuple[Outcome, Standin]:
    async with serve(brain) as standin:
        model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        try:
            model_set = ModelSet(alone(model), budget, overnight=QUICK)
            return await bench.heal(BASE, CHANGE, RUFF, model_set=model_set), standin
        finally:
            await model.close()


# LM-4
async def test_what_one_batch_fixes_needs_no_agent(bench: Bench) -> None:
    brain = Sleeper(knows=tuple(FIXES))
    outcome, standin = await heal(bench, brain, Budget(10.0))
    assert outcome.verdict == "healed"
    assert {edit.file for p in outcome.proposals for edit in p.edits} == set(FIXES)
    assert all(p.evidence[0].after_exit == 0 for p in outcome.proposals)
    assert (len(standin.batches.batches), brain.awake) == (1, [])
    assert all(one.path.endswith("/batches") for one in standin.answered if not is_review(one.body))
    assert 0 < outcome.spending.dollars < 0.05


# LM-4, CK-3
async def test_agents_get_only_what_the_batch_leaves_and_hear_what_was_refused(bench: Bench) -> None:
    brain = Sleeper(knows=("calc.py",), fails=("words.py",))
    outcome, _ = await heal(bench, brain, Budget(10.0))
    assert outcome.verdict == "healed"
    assert {edit.file for p in outcome.proposals for edit in p.edits} == set(FIXES)
    asked = "\n".join(brain.awake)
    assert "place: words.py" in asked
    assert "place: dates.py" in asked
    assert "place: calc.py" not in asked
    assert "tried in one go before, and refused" in asked


# LM-4, LM-6
async def test_without_room_for_a_batch_the_run_goes_on_in_conversations(bench: Bench) -> None:
    brain = Sleeper(knows=tuple(FIXES))
    outcome, standin = await heal(bench, brain, Budget(0.11))
    assert not standin.batches.batches
    assert outcome.verdict == "healed"
    assert brain.awake
