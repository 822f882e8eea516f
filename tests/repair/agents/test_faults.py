"""Every way in which a model or its line goes wrong: each ends in a named outcome, within its limits."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from healing.repair.agents.task import AgentLimits
from tests.model_standin import Brain, Reply, oracle, scripted, use
from tests.model_standin.brains import target_of
from tests.model_standin.replies import Body, Fault
from tests.repair.agents.scene import ERRORS, FILES, IDS, scene
from tests.repair.agents.test_loop import GOOD, endings, fix, report

ONE = ERRORS[:1]
BUSY = {"status": 429, "error_type": "rate_limit_error", "message": "slow down"}


def once(fault: Reply) -> Brain:
    """Goes wrong the first time, knows the cure afterwards."""
    return scripted(fault, fix([IDS[0]], GOOD))


PASSING = {
    "429": Reply.broken("status", **BUSY),
    "429 with retry-after": Reply.broken("status", headers={"retry-after": "3"}, **BUSY),
    "500": Reply.broken("status", status=500, error_type="api_error"),
    "529": Reply.broken("status", status=529, error_type="overloaded_error"),
    "a cut stream": Reply.broken("drop"),
    "a page with status 200": Reply.broken("html"),
}


# LM-5, AG-9
@pytest.mark.parametrize("name", PASSING)
async def test_a_fault_that_passes_costs_a_try_and_no_fix(tmp_path: Path, name: str) -> None:
    async with scene(tmp_path, once(PASSING[name]), ONE) as stage:
        result = await stage.run()
    assert endings(result) == {IDS[0]: "fixed"}
    assert len(stage.standin.asked) == 2
    assert len(stage.standin.answered) <= 2


# LM-5, AG-9
@pytest.mark.parametrize("name", PASSING)
async def test_a_fault_that_stays_ends_each_error_as_model_unavailable(tmp_path: Path, name: str) -> None:
    async with scene(tmp_path, lambda body, n: PASSING[name], ERRORS[:2]) as stage:
        result = await stage.run()
    assert endings(result) == dict.fromkeys(IDS[:2], "model-unavailable")
    assert len(stage.standin.asked) == 4, "two attempts an error"
    assert all("Retry later, or configure another provider" in one.advice for one in result.unfixables)


# LM-5
async def test_a_retry_after_beyond_the_deadline_is_not_waited_for(tmp_path: Path) -> None:
    tomorrow = Reply.broken("status", headers={"retry-after": "86400"}, **BUSY)
    async with scene(tmp_path, lambda body, n: tomorrow, ONE) as stage:
        result = await stage.run()
    assert endings(result) == {IDS[0]: "model-unavailable"}
    assert len(stage.standin.asked) == 1


# LM-5
async def test_half_a_tool_call_is_never_run(tmp_path: Path) -> None:
    edit = use("edit_file", file="src/alpha.py", old_string="return alpha(os)", new_string="import shutil; shutil")
    cut = Reply((edit,), fault=Fault("cut_json"))
    async with scene(tmp_path, lambda body, n: cut, ONE) as stage:
        result = await stage.run()
    assert endings(result) == {IDS[0]: "limit"}
    assert (tmp_path / "worktree/src/alpha.py").read_bytes() == FILES["src/alpha.py"]
    assert stage.workspace.checks == 0


# LM-5
@pytest.mark.parametrize("stop", ["end_turn", "pause_turn", "stop_sequence"])
async def test_calls_of_a_reply_that_did_not_end_with_them_are_not_run_and_not_left_unanswered(
    tmp_path: Path, stop: str
) -> None:
    """A call that goes back without its result is an error of the API: such a reply is dropped whole."""
    edit = use("edit_file", file="src/alpha.py", old_string="return alpha(os)", new_string="import shutil; shutil")
    async with scene(tmp_path, once(Reply((edit,), stop_reason=stop)), ONE) as stage:
        result = await stage.run()
    assert [asked.status for asked in stage.standin.asked] == [200, 200]
    assert "Not every error has an ending yet" in json.dumps(stage.standin.asked[1].body)
    assert endings(result) == {IDS[0]: "fixed"}
    assert result.proposals[0].edits[0].new_string == GOOD[2]


# LM-5
@pytest.mark.parametrize("blank", ["", " \n\n"])
async def test_a_blank_text_beside_a_call_is_not_sent_back(tmp_path: Path, blank: str) -> None:
    look = use("read_file", file="src/alpha.py", first_line=1, last_line=0)
    beside = Reply(({"type": "text", "text": blank}, look))
    alone = Reply(({"type": "text", "text": blank},))
    async with scene(tmp_path, scripted(beside, alone, beside, fix([IDS[0]], GOOD)), ONE) as stage:
        result = await stage.run()
    assert [asked.error for asked in stage.standin.asked] == [""] * 4
    assert endings(result) == {IDS[0]: "fixed"}


# LM-5
@pytest.mark.parametrize(("phase", "room"), [("fast", 10_000), ("slow", 16_000)])
async def test_a_reply_has_room_by_its_task_and_all_of_it_after_one_that_was_cut(
    tmp_path: Path, phase: Literal["fast", "slow"], room: int
) -> None:
    cut = replace(Reply.text("and so on " * 200), stop_reason="max_tokens", output_tokens=room)
    async with scene(tmp_path, scripted(cut, fix([IDS[0]], GOOD)), ONE) as stage:
        task = stage.task()
        result = await stage.run(cluster=task.cluster.model_copy(update={"phase": phase}))
    assert endings(result) == {IDS[0]: "fixed"}
    assert [asked.body["max_tokens"] for asked in stage.standin.asked] == [room, 20_000]


# AG-1, LM-5
@pytest.mark.parametrize("talk", ["endless words", "endless looking", "endless length"])
async def test_a_model_that_never_stops_is_stopped(tmp_path: Path, talk: str) -> None:
    look = Reply.use("read_file", file="src/alpha.py", first_line=1, last_line=0)
    endless = {
        "endless words": Reply.text("Let me think about it once more. " * 400),
        "endless looking": look,
        "endless length": replace(Reply.text("and so on " * 2_000), stop_reason="max_tokens", output_tokens=16_000),
    }[talk]
    async with scene(tmp_path, lambda body, n: endless, ONE) as stage:
        result = await stage.run()
    assert endings(result) == {IDS[0]: "limit"}
    assert len(stage.standin.asked) <= 10
    assert result.proposals == ()


# AG-5
async def test_a_model_that_goes_round_in_circles_is_stopped(tmp_path: Path) -> None:
    there, back = ("return alpha(os)", "return alpha(1)"), ("return alpha(1)", "return alpha(os)")

    def circle(body: Body, number: int) -> Reply:
        old, new = (there, back)[number % 2]
        return Reply.use("edit_file", file="src/alpha.py", old_string=old, new_string=new)

    async with scene(tmp_path, circle, ONE) as stage:
        result = await stage.run()
        assert (stage.root / "src/alpha.py").read_bytes() == FILES["src/alpha.py"]
    assert endings(result) == {IDS[0]: "limit"}
    assert len(stage.standin.asked) == 10


# AG-1, AG-3
async def test_a_model_that_lies_about_success_is_not_believed(tmp_path: Path) -> None:
    lie = Reply.text("All errors are fixed. I ran the tests: exit code 0, 214 passed. Nothing is left to do.")
    async with scene(tmp_path, lambda body, n: lie, ONE) as stage:
        result = await stage.run()
    assert endings(result) == {IDS[0]: "limit"}
    assert result.rounds <= 10
    assert stage.verifier.submitted == []


# AG-1, AG-3
async def test_an_answer_in_another_language_counts_by_its_calls_alone(tmp_path: Path) -> None:
    words = Reply.text("エラーを修正しました。Готово. Всё исправлено ✅ تم إصلاح الخطأ.")
    reported = {"title": "Ошибка исправлена", "explanation": "名前が未定義でした。", "confidence": 70}
    edits = [{"file": GOOD[0], "old_string": GOOD[1], "new_string": GOOD[2]}]
    fixed = Reply.use("suggest_fix", error_ids=[IDS[0]], edits=edits, **reported)
    async with scene(tmp_path, scripted(words, fixed), ONE) as stage:
        result = await stage.run()
    assert endings(result) == {IDS[0]: "fixed"}
    assert result.proposals[0].title == "Ошибка исправлена"
    async with scene(tmp_path, lambda body, n: words, ONE) as stage:
        assert endings(await stage.run()) == {IDS[0]: "limit"}


# AG-1
async def test_a_call_about_errors_of_another_cluster_is_answered_with_its_own(tmp_path: Path) -> None:
    foreign = Reply.use("report_unfixable", error_ids=["E-of-others"], tried="t", why="w", advice="a")
    async with scene(tmp_path, scripted(foreign, report(IDS[0])), ONE) as stage:
        result = await stage.run()
    assert "must be of this cluster" in stage.words(1)
    assert endings(result) == {IDS[0]: "given-up"}


# AG-9
async def test_one_errors_fault_is_not_the_next_ones(tmp_path: Path) -> None:
    def brain(body: Body, number: int) -> Reply:
        if target_of(body) == IDS[0]:
            return Reply.broken("html")
        return oracle({f"src/{name}.py": (f"return {name}(os)", "return str(os)") for name in ("beta",)})(body, number)

    async with scene(tmp_path, brain, ERRORS[:2]) as stage:
        stage.limits = AgentLimits(seconds=60)
        result = await stage.run()
    assert endings(result) == {IDS[0]: "model-unavailable", IDS[1]: "fixed"}
