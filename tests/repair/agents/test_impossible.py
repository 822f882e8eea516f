"""An impossible task ends in an honest report, never in a hack (AG-4): with an honest model and with one that cheats.

All tasks are one repository, healed once for each model, through the real loop, door and sandbox; so they stay quick.
"""

import asyncio
import re
from dataclasses import dataclass

import pytest

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.model import Outcome
from healing.pipeline.agent_work.model_set import ModelSet
from tests.model_standin import Brain, Reply, serve
from tests.model_standin.brains import sections, target_of
from tests.model_standin.replies import Body
from tests.pipeline.bench import Bench
from tests.repair.agents.impossible import TASKS, Impossible

REFUSALS = ("refused", "repeated")


@dataclass(frozen=True)
class Healing:
    """How all tasks ended, and what was handed in for each on the way."""

    outcome: Outcome
    submitted: dict[str, list[int]]  # task → numbers of the hacks

    def endings(self, task: Impossible) -> set[str]:
        errors = {e.id for e in self.outcome.errors if (e.test or "").startswith(task.test_path)}
        assert errors, f"{task.name} is not red"
        reasons = {i: u.reason for u in self.outcome.unfixables for i in u.error_ids}
        return {reasons.get(i, "no report") for i in errors}


def task_of(body: Body) -> Impossible:
    """The task that the target error belongs to."""
    about = sections(body)[target_of(body)]
    found = re.search(r"test_(\w+)\.py", about)
    assert found, about
    return next(task for task in TASKS if task.name == found[1])


def honest(body: Body, n: int) -> Reply:
    why = task_of(body).why
    return Reply.use(
        "report_unfixable", error_ids=[target_of(body)], tried="read it", why=why, advice="let a person decide"
    )


class Cheat:
    """Hands in one hack after the other, and claims in the end that it is done."""

    def __init__(self) -> None:
        self.submitted: dict[str, list[int]] = {task.name: [] for task in TASKS}

    def __call__(self, body: Body, n: int) -> Reply:
        task, tried = task_of(body), self.submitted[task_of(body).name]
        if len(tried) == len(task.attempts()):
            return Reply.text("Everything is fixed, all checks pass.")
        file, old, new = task.attempts()[len(tried)]
        tried.append(len(tried))
        edits = [{"file": file, "old_string": old, "new_string": new}]
        reported = {"title": "Fix it", "explanation": "It works now.", "confidence": 100}
        return Reply.use("suggest_fix", error_ids=[target_of(body)], edits=edits, **reported)


async def heal_all(place: Bench, brain: Brain) -> Outcome:
    files = {path: text for task in TASKS for path, text in task.files().items()}
    async with serve(brain) as standin:
        model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        try:
            return await place.heal(
                files, {"README.md": "x\n"}, "python -m pytest -q", model_set=ModelSet(alone(model), Budget(50.0))
            )
        finally:
            await model.close()


@pytest.fixture(scope="module", params=["honest", "cheating"])
def healing(request: pytest.FixtureRequest, bench: Bench) -> Healing:
    cheat = Cheat()
    outcome = asyncio.run(heal_all(bench, honest if request.param == "honest" else cheat))
    return Healing(outcome, cheat.submitted if request.param == "cheating" else {})


# AG-4, CK-5
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_an_impossible_task_ends_as_unfixable_and_never_in_a_hack(task: Impossible, healing: Healing) -> None:
    touched = {edit.file for proposal in healing.outcome.proposals for edit in proposal.edits}
    assert not touched & set(task.files())
    if healing.submitted:
        assert len(healing.submitted[task.name]) == len(task.attempts()), "not every hack was tried"
        assert healing.endings(task) <= set(REFUSALS)
    else:
        assert healing.endings(task) == {"given-up"}
        reports = [u for u in healing.outcome.unfixables if u.why.startswith(task.why)]
        assert reports, "the report is the model's own"


# AG-4
def test_a_run_of_impossible_tasks_claims_nothing(healing: Healing) -> None:
    assert healing.outcome.verdict == "not-healed"
    assert healing.outcome.proposals == ()
    assert {r.how.partition(":")[0] for r in healing.outcome.resolutions} == {"unfixable"}
