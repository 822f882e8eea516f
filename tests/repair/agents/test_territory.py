"""Edits outside of an agent's own cluster: told to people, and refused in files where others' errors lie."""

import pytest

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.model import Edit, Outcome
from healing.pipeline.agent_work.model_set import ModelSet
from healing.repair.agents.territory import Territory
from tests.model_standin import Brain, Reply, oracle, serve
from tests.model_standin.brains import sections, target_of
from tests.model_standin.replies import Body
from tests.pipeline.agent_work.test_agent_pool import BASE, CHANGE, FIXES, RUFF
from tests.pipeline.bench import Bench


def wanders(*more: tuple[str, str, str]) -> Brain:
    """Cures calc.py and changes something else by the way; elsewhere it knows the cure."""

    def brain(body: Body, number: int) -> Reply:
        if "place: calc.py" not in sections(body).get(target_of(body), ""):
            return oracle(FIXES)(body, number)
        edits = [
            {"file": file, "old_string": old, "new_string": new}
            for file, old, new in (("calc.py", *FIXES["calc.py"]), *more)
        ]
        reported = {"title": "t", "explanation": "e", "confidence": 80}
        return Reply.use("suggest_fix", error_ids=[target_of(body)], edits=edits, **reported)

    return brain


async def healed(place: Bench, brain: Brain) -> Outcome:
    async with serve(brain) as standin:
        model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        try:
            return await place.heal(BASE, CHANGE, RUFF, model_set=ModelSet(alone(model), Budget(10.0)))
        finally:
            await model.close()


# AG-1, CL-3
async def test_a_fix_that_meddles_with_anothers_file_and_fixes_nothing_there_is_refused(bench: Bench) -> None:
    outcome = await healed(bench, wanders(("words.py", "def same(it):", "def same(it):  # looked at")))
    assert len(outcome.clusters) == 3
    assert {edit.file for proposal in outcome.proposals for edit in proposal.edits} == {"words.py", "dates.py"}
    (report,) = outcome.unfixables
    assert report.reason == "repeated"
    assert "words.py belongs to other errors" in report.tried


# AG-1, CL-3
async def test_a_fix_that_repairs_anothers_error_too_is_taken(bench: Bench) -> None:
    outcome = await healed(bench, wanders(("words.py", *FIXES["words.py"])))
    assert outcome.verdict == "healed"


# AG-1, CL-3
async def test_a_fix_outside_of_its_cluster_says_so(bench: Bench) -> None:
    outcome = await healed(bench, wanders(("new/notes.py", "", "x = 1\n")))
    assert outcome.verdict == "healed"
    reported = [flag for proposal in outcome.proposals for flag in proposal.flags]
    assert reported == ["new/notes.py: lies outside of the files that its errors point to"]


def test_a_cluster_without_files_has_nothing_to_leave() -> None:
    edit = Edit(file="a.py", old_string="x", new_string="y")
    assert Territory().notes([edit]) == ()
    assert not Territory().touches_other_clusters([edit])
    assert Territory(zone=frozenset({"a.py"})).notes([edit]) == ()


@pytest.mark.parametrize("name", ["a\nb.py", "a" * 400 + ".py"])
def test_a_strange_name_stays_on_its_line(name: str) -> None:
    (reported,) = Territory(zone=frozenset({"x.py"})).notes([Edit(file=name, old_string="x", new_string="y")])
    assert "\n" not in reported
    assert len(reported) < 400
