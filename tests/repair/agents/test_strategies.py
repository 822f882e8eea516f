"""Several specialists on one cluster: each real, in a folder of its own, against the stand-in."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.model import Candidate, Edit, Proposal
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.loop import run_agent
from healing.repair.agents.profiles import Profile, shipped
from healing.repair.agents.strategies import Strategy, work
from healing.repair.agents.strategies.attempt import Wrap
from healing.repair.agents.strategies.consensus import normalised
from healing.repair.agents.task import AgentLimits, AgentResult, AgentTask
from healing.steps import MemorySteps
from healing.verify.verdict import Verdict
from tests.model_standin import Brain, Reply, oracle, serve
from tests.model_standin.brains import target_of
from tests.model_standin.replies import Body
from tests.repair.agents.folder import FolderWorkspace, LintVerifier, fill, task_of
from tests.repair.agents.scene import ERRORS, FILES, FIXES, IDS, IMPATIENT
from tests.repair.agents.test_loop import GOOD, endings, fix, report

ONE = ERRORS[:1]
THREE = {profile.name: profile for profile in shipped() if profile.name in ("architect", "security", "semantic")}


def who(body: Body) -> str:
    """Which specialist asks."""
    reported = "".join(block["text"] for block in [*body["system"], *body["messages"][0]["content"]])
    return next(name for name, profile in THREE.items() if profile.purpose in reported)


class Stage:
    """Runs a strategy; `order` are the specialists in the order of their attempts."""

    def __init__(self, root: Path, brain: Brain, limits: AgentLimits | None = None) -> None:
        self.root, self.brain, self.limits = root, brain, limits or AgentLimits()
        self.order: list[str] = []
        self.verifier = LintVerifier(FILES, ERRORS)
        self.histories: list[str] = []

    async def run(self, strategy: Strategy, task: AgentTask, names: Sequence[str] = tuple(THREE)) -> AgentResult:
        steps, budget = MemorySteps(), Budget(10.0)
        async with serve(self.brain) as standin:
            model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
            agent_context = AgentContext(model, steps, budget, retry=IMPATIENT, limits=self.limits)

            async def attempt(task: AgentTask, number: int, wrap: Wrap) -> AgentResult:
                self.order.append(task.profile.name)
                self.histories.append(task.history)
                root = self.root / str(number)
                fill(root, FILES)
                return await run_agent(task, FolderWorkspace(root), wrap(self.verifier), agent_context)

            async def take(proposal: Proposal) -> Verdict:
                return await self.verifier.submit(Candidate(**proposal.model_dump(include=set(Candidate.model_fields))))

            candidates: list[Profile] = [THREE[name] for name in names]
            try:
                return await work(task, candidates, strategy, attempt, take)
            finally:
                await model.close()


# AG-9
async def test_the_single_best_works_alone(tmp_path: Path) -> None:
    stage = Stage(tmp_path, oracle(FIXES))
    assert endings(await stage.run("single", task_of(ERRORS))) == dict.fromkeys(IDS, "fixed")
    assert stage.order == ["architect"]


# AG-9
async def test_on_time_out_the_next_candidate_gets_what_is_left(tmp_path: Path) -> None:
    def brain(body: Body, n: int) -> Reply:
        return Reply.broken("hang") if who(body) == "architect" else fix([IDS[0]], GOOD)

    stage = Stage(tmp_path, brain, AgentLimits(seconds=3))
    assert endings(await stage.run("single", task_of(ONE))) == {IDS[0]: "fixed"}
    assert stage.order == ["architect", "security"]


# AG-9, AG-4
async def test_an_honest_report_of_the_single_best_is_believed(tmp_path: Path) -> None:
    stage = Stage(tmp_path, lambda body, n: report(target_of(body)))
    assert endings(await stage.run("single", task_of(ONE))) == {IDS[0]: "given-up"}
    assert stage.order == ["architect"]


# AG-9, AG-6
async def test_in_sequence_each_is_told_what_the_one_before_tried(tmp_path: Path) -> None:
    def brain(body: Body, n: int) -> Reply:
        if who(body) == "semantic":
            return fix([IDS[0]], GOOD)
        tried = sum(m["role"] == "assistant" for m in body["messages"])
        return fix([IDS[0]], (*GOOD[:2], f"return alpha({tried})"))

    stage = Stage(tmp_path, brain)
    result = await stage.run("sequential", task_of(ONE))
    assert endings(result) == {IDS[0]: "fixed"}
    assert stage.order == ["architect", "security", "semantic"]
    assert stage.histories[0] == ""
    assert "tried a moment ago, and refused: still red" in stage.histories[1]
    assert len(result.failed) == 6


# AG-9
async def test_in_parallel_the_first_proven_fix_wins_and_the_others_are_ended(tmp_path: Path) -> None:
    def brain(body: Body, n: int) -> Reply:
        return fix([IDS[0]], GOOD) if who(body) == "security" else Reply.broken("hang")

    stage = Stage(tmp_path, brain)
    async with asyncio.timeout(20):
        result = await stage.run("parallel", task_of(ONE))
    assert endings(result) == {IDS[0]: "fixed"}
    assert sorted(stage.order) == sorted(THREE)
    assert len(stage.verifier.submitted) == 1


# AG-9
async def test_in_parallel_what_no_one_fixes_has_one_report(tmp_path: Path) -> None:
    stage = Stage(tmp_path, lambda body, n: report(target_of(body)))
    result = await stage.run("parallel", task_of(ERRORS))
    assert sorted(i for u in result.unfixables for i in u.error_ids) == sorted(IDS)


# AG-9
@pytest.mark.parametrize(("agree", "ending"), [(2, "fixed"), (1, "no-consensus")])
async def test_by_agreement_a_fix_is_taken_only_where_most_found_it(tmp_path: Path, agree: int, ending: str) -> None:
    ways = (
        ["return str(os)", "return  str(os)", "return os"]
        if agree == 2
        else ["return str(os)", "return os", "return None"]
    )

    def brain(body: Body, n: int) -> Reply:
        return fix([IDS[0]], (*GOOD[:2], ways[list(THREE).index(who(body))]))

    stage = Stage(tmp_path, brain)
    result = await stage.run("consensus", task_of(ONE))
    assert endings(result) == {IDS[0]: ending}
    assert len(stage.verifier.submitted) == (1 if agree == 2 else 0), "nothing is taken in before they agree"


# AG-9
@pytest.mark.parametrize(
    ("second", "third", "ending", "asked"),
    [
        ("return  str(os)", "return None", "fixed", ["architect", "security"]),
        ("return os", "return str(os)", "fixed", ["architect", "security", "architect"]),
        ("return os", "return os", "fixed", ["architect", "security", "architect"]),
        ("return os", "return None", "no-consensus", ["architect", "security", "architect"]),
    ],
    ids=["two that agree are enough", "the first says it again", "the first sees it as the second", "three ways"],
)
async def test_of_two_that_differ_the_first_is_asked_once_more(
    tmp_path: Path, second: str, third: str, ending: str, asked: list[str]
) -> None:
    stage = Stage(tmp_path, lambda body, n: report(target_of(body)))

    def brain(body: Body, n: int) -> Reply:
        again = "did not find the same fix" in body["messages"][0]["content"][0]["text"]
        assert not again or second in body["messages"][0]["content"][0]["text"]
        ways = {"security": second, "architect": third if again else "return str(os)"}
        return fix([IDS[0]], (*GOOD[:2], ways[who(body)]))

    stage.brain = brain
    result = await stage.run("consensus", task_of(ONE), ["architect", "security"])
    assert endings(result) == {IDS[0]: ending}
    assert stage.order == asked
    assert len(stage.verifier.submitted) == (ending == "fixed")


# AG-9
async def test_what_both_report_as_unfixable_is_not_asked_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path, lambda body, n: report(target_of(body)))
    result = await stage.run("consensus", task_of(ONE), ["architect", "security"])
    assert endings(result) == {IDS[0]: "given-up"}
    assert stage.order == ["architect", "security"]


# AG-9
@pytest.mark.parametrize("strategy", get_args(Strategy))
async def test_with_one_candidate_every_strategy_is_that_one(tmp_path: Path, strategy: Strategy) -> None:
    stage = Stage(tmp_path, oracle(FIXES))
    assert endings(await stage.run(strategy, task_of(ERRORS), ["semantic"])) == dict.fromkeys(IDS, "fixed")
    assert stage.order == ["semantic"]


def test_edits_agree_whatever_their_order_and_spaces_but_not_their_indentation() -> None:
    one, two = (Edit(file=f, old_string="a", new_string="x  =  1\n\n") for f in ("a.py", "b.py"))
    plain = one.model_copy(update={"new_string": "x = 1\n"})
    assert normalised((one, two)) == normalised((two, plain))
    assert normalised((one,)) != normalised((one.model_copy(update={"new_string": "  x = 1"}),))
