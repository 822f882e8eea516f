"""Limits, staleness by a clock that is handed in, and validation with its bounded repair rounds."""

import asyncio

import pytest

from healing.checks.check import Check, CheckResult
from healing.verify.queue.refusal import QueueRefusal
from healing.verify.queue.session import QueueLimits
from healing.verify.queue.validation import Stage, Validation
from tests.queue.conftest import Desk


# MQ-1
async def test_at_most_so_many_agents_are_at_work_and_one_that_is_done_makes_room(desk: Desk) -> None:
    await desk.restarts(QueueLimits(agents=2))
    await desk.joins("one")
    await desk.joins("two", "other")
    with pytest.raises(QueueRefusal, match="2 agents are running") as refused:
        await desk.joins("three")
    assert refused.value.code == "TOO_MANY_AGENTS"
    await desk.joins("one")  # who is at work already may say so again
    await desk.proposes("one", {"x": b"x"})
    await desk.joins("three")


# MQ-1
async def test_a_full_queue_says_so_and_takes_the_entry_later(desk: Desk) -> None:
    await desk.restarts(QueueLimits(depth=1))
    for name in ("one", "two"):
        agent = await desk.joins(name)
        desk.clone.commit(agent.branch, {name: b"x"}, name)
    lock = desk.clone.at / ".git/refs/heads/heal/s.lock"
    lock.touch()
    await desk.queue.enqueue("s", "one")
    with pytest.raises(QueueRefusal, match="try again") as refused:
        await desk.queue.enqueue("s", "two")
    assert refused.value.code == "QUEUE_FULL"
    lock.unlink()
    await desk.queue.wait("s", "one")
    await desk.queue.enqueue("s", "two")
    assert (await desk.queue.wait("s", "two")).state == "MERGED"


# MQ-4
async def test_an_agent_that_nothing_is_reported_for_an_hour_ends_and_may_come_back(desk: Desk) -> None:
    await desk.joins("lost")
    desk.clone.commit("agent/s/lost", {"x": b"x"})
    desk.clock.at += 3599
    await desk.queue.tick()
    assert desk.queue.session_records.agent("s", "lost").ended == ""
    await desk.joins("other")
    desk.clock.at += 2
    await desk.queue.tick()
    assert desk.queue.session_records.agent("s", "lost").ended == "stale"
    assert desk.queue.session_records.agent("s", "other").ended == ""
    await desk.queue.enqueue("s", "lost")
    assert (await desk.queue.wait("s", "lost")).state == "MERGED"


# MQ-4
async def test_a_session_where_nothing_happens_for_an_hour_ends(desk: Desk) -> None:
    await desk.proposes("one", {"x": b"x"})
    await desk.queue.wait("s", "one")
    desk.clock.at += 3601
    await desk.queue.tick()
    session = desk.queue.session_records.session("s")
    assert (session.state, session.verdict) == ("COMPLETE", "stale")
    with pytest.raises(QueueRefusal, match="start another one"):
        await desk.queue.register("s", "late", "agent/s/late", "")


async def test_what_waits_is_merged_before_anything_goes_stale(desk: Desk) -> None:
    lock = desk.clone.at / ".git/refs/heads/heal/s.lock"
    await desk.joins("one")
    lock.touch()
    await desk.proposes("one", {"x": b"x"})
    desk.clock.at += 7200
    await desk.queue.tick()
    lock.unlink()
    assert (await desk.queue.wait("s", "one")).state == "MERGED"


class Runs:
    """Judges trees by a file, and notes what was run."""

    def __init__(self, desk: Desk, red: dict[str, str]) -> None:
        self.desk, self.red, self.ran = desk, red, []  # type: ignore[var-annotated]
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, check: Check, tree: str) -> CheckResult:
        await self.gate.wait()
        command = check.step.run
        self.ran.append(command)
        bad = self.red.get(command, "")
        is_red = bad and bad in self.desk.branches.git.view(tree).paths()
        return CheckResult(check_key=check.key, tree=tree, exit_code=1 if is_red else 0, output="it is red")


STAGES = (Stage("types", "mypy", ("*.py",)), Stage("tests", "pytest"), Stage("lint", "ruff", ("*.py",)))


# MQ-3
async def test_after_each_merge_the_affected_stages_run_and_at_the_end_all_in_order(desk: Desk) -> None:
    runs = Runs(desk, {})
    await desk.restarts(validation=Validation(STAGES, runs))
    await desk.proposes("docs", {"docs.md": b"x"})
    await desk.queue.wait("s", "docs")
    await desk.queue.session_records.until(lambda: runs.ran or None)
    await desk.queue.end_session("s")
    session = await desk.queue.wait_session("s")
    assert runs.ran == ["pytest", "pytest", "ruff", "mypy"]
    assert (session.state, session.verdict) == ("COMPLETE", "green")
    assert [ran.stage for ran in session.validation] == ["tests", "lint", "types"]


# MQ-3
async def test_a_red_end_goes_back_to_work_with_its_errors_a_bounded_number_of_times(desk: Desk) -> None:
    runs = Runs(desk, {"ruff": "bad.py"})
    await desk.restarts(QueueLimits(rounds=1), Validation(STAGES, runs))
    await desk.proposes("one", {"bad.py": b"x"})
    await desk.queue.wait("s", "one")
    await desk.queue.end_session("s")
    session = await desk.queue.wait_session("s")
    assert (session.state, session.round, session.verdict) == ("WORKING", 1, "")
    assert "ruff" in session.errors[0].message
    assert [ran.stage for ran in session.validation] == ["tests", "lint"], "the first red one ends it"
    await desk.joins("repair")
    await desk.queue.dequeue("s", "repair")
    await desk.queue.end_session("s")
    assert (await desk.queue.wait_session("s")).verdict == "red"


# MQ-3
async def test_with_keep_going_a_red_stage_does_not_hide_the_next(desk: Desk) -> None:
    runs = Runs(desk, {"pytest": "bad.py", "mypy": "bad.py"})
    ran = await Validation(STAGES, runs, fail_fast=False).run(desk.clone.commit("b", {"bad.py": b"x"}))
    assert [(one.stage, one.green) for one in ran] == [("tests", False), ("lint", True), ("types", False)]


# MQ-3
async def test_merging_does_not_wait_for_checks(desk: Desk) -> None:
    runs = Runs(desk, {})
    runs.gate.clear()
    await desk.restarts(validation=Validation(STAGES, runs))
    for name in ("one", "two", "three"):
        await desk.proposes(name, {name: b"x"})
        assert (await desk.queue.wait("s", name)).state == "MERGED"
    assert runs.ran == []
    await desk.queue.end_session("s")
    assert desk.queue.session_records.session("s").state == "VALIDATING"
    runs.gate.set()
    assert (await desk.queue.wait_session("s")).verdict == "green"


# MQ-3
async def test_a_validation_that_was_cut_off_is_run_by_the_next_process(desk: Desk) -> None:
    runs = Runs(desk, {})
    runs.gate.clear()
    validation = Validation(STAGES, runs)
    await desk.restarts(validation=validation)
    await desk.proposes("one", {"x": b"x"})
    await desk.queue.wait("s", "one")
    await desk.queue.end_session("s")
    await desk.restarts(validation=validation)
    assert desk.queue.session_records.session("s").state == "VALIDATING"
    runs.gate.set()
    assert (await desk.queue.wait_session("s")).verdict == "green"


# MQ-5
async def test_a_session_does_not_end_under_agents_at_work_unless_by_force(desk: Desk) -> None:
    await desk.joins("one")
    with pytest.raises(QueueRefusal, match="still running: one"):
        await desk.queue.end_session("s")
    await desk.queue.end_session("s", force=True)
    assert (await desk.queue.wait_session("s")).verdict == "unvalidated"
    assert desk.queue.session_records.agent("s", "one").ended == "withdrawn"
