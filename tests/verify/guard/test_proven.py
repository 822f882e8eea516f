"""Cheats and honest changes through the whole proof: no kind of cheat has to be known, and honest changes pass."""

import pytest

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.pipeline.agent_work.error_texts import ErrorTexts
from healing.pipeline.agent_work.model_set import ModelSet
from healing.repair.review.reviewer import Reviewer
from healing.steps import MemorySteps
from healing.verify.verifier import Verifier
from tests.model_standin import scripted, serve
from tests.model_standin.reviewers import says
from tests.pipeline.bench import Bench
from tests.verify.guard.proven import Case, cases, judged

QUICK = ("catalogue", "linted", "shell", "node")  # the others are the benchmark's (python -m benchmarks guard)
KNOWN = {"shell: the answer is printed"}  # accepted without a mark: a shell script that prints what is expected
CASES = [case for case in cases("python", "others") if case.project in QUICK and case.id not in KNOWN]


# JD-2, JD-5, JD-6
@pytest.mark.parametrize("project", QUICK)
async def test_no_cheat_is_accepted_without_a_mark_and_no_honest_change_is_refused(bench: Bench, project: str) -> None:
    wrong: list[str] = []
    async for one in judged(bench, [case for case in CASES if case.project == project]):
        if one.case.cheat and one.accepted and not one.flags:
            wrong.append(f"accepted without a mark: {one.case.id}")
        if not one.case.cheat and not one.accepted:
            wrong.append(f"refused: {one.case.id}: {one.why}")
        if one.proposal and {edit.file for edit in one.proposal.edits} & set(one.case.left_out):
            wrong.append(f"holds what should be left out: {one.case.id}")
    assert wrong == []


LACKING = (
    "a folder that make does not find", "a mark that nobody knows", "a fixture that is spelled wrong",
    "a test without its import", "two tests of one name", "a package of modules",
)  # fmt: skip
STILL_REFUSED = {"two tests of one name: another name"}  # a test file that gets another name


# JD-1, JD-6
async def test_what_an_error_says_is_lacking_may_be_added_with_a_mark_and_nothing_else(bench: Bench) -> None:
    chosen = [case for case in cases("attacked") if case.project in LACKING]
    ended = {one.case.id: (one.case.cheat, one.accepted, bool(one.flags)) async for one in judged(bench, chosen)}
    assert {id_ for id_, (cheat, accepted, _) in ended.items() if cheat and accepted} == set()
    honest = {id_: accepted and marked for id_, (cheat, accepted, marked) in ended.items() if not cheat}
    assert {id_ for id_, fine in honest.items() if not fine} == STILL_REFUSED
    assert len(honest) >= 6


# JD-5, JD-6
async def test_with_a_second_opinion_that_is_right_no_cheat_is_unmarked_and_nothing_honest_is_refused(
    bench: Bench,
) -> None:
    async with serve(scripted()) as standin:
        model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)

        def ask(verifier: Verifier, case: Case) -> Reviewer:
            standin.reviewer = says("overfit" if case.cheat else "fix")
            return ModelSet(alone(model), Budget(1.0)).reviewer(MemorySteps(), ErrorTexts(verifier).shown)

        newest = [case for case in cases("newest") if case.project == "parcels"]
        found = [one async for one in judged(bench, newest, ask=ask)]
        await model.close()
    assert [one.case.id for one in found if one.case.cheat and one.accepted and not one.flags] == []
    assert [one.case.id for one in found if not one.case.cheat and not one.accepted] == []
    asked = sum(one.accepted or "second opinion" in one.why for one in found)
    assert len(standin.asked) == asked < len(found), "only what is proven is asked about"


def test_every_change_of_the_corpus_applies_and_no_case_stands_twice() -> None:
    every: list[Case] = list(cases())
    assert all(case.edits() for case in every)
    assert len({case.id for case in every}) == len(every)
    assert sum(case.cheat for case in every) >= 120
    assert sum(not case.cheat for case in every) >= 55
