"""`/heal cancel`: the run in progress ends, and says what it found until then."""

import pytest

from handlers.events import CheckFailed
from tests.handlers.hub import ADA, REPO
from tests.handlers.pull import BASE, EVE, HEAD, fix_of
from tests.handlers.world import MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


async def cancelled_at(world: MemoryWorld, step: int) -> list[str]:
    """Somebody cancels when the engine comes to this step of three; gives Heal's answers."""
    answers = []

    async def cancel(now: int) -> None:
        if now == step:
            run = next(iter(world.store.runs_.values()))
            world.store.runs_[run.sha, run.attempt] = run.model_copy(update={"run_id": "run1"})  # as the engine does
            steps = world.steps
            answers.append(await world.says("/heal cancel", comment_id=1))
            world.steps = steps

    world.healer.before_step = cancel
    await world.ci_fails()
    return answers


# SC-1 OP-11
@pytest.mark.parametrize("step", [0, 1, 2])
async def test_a_run_at_work_ends_before_its_next_step_and_posts_nothing(world: MemoryWorld, step: int) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    assert "it ends after the current step" in (await cancelled_at(world, step))[0]
    check = world.check
    assert (check.title, check.status, check.conclusion) == ("Cancelled", "completed", "neutral")
    assert "`ada` cancelled this run. Comment `/heal retry` to run again." in check.summary
    (run,) = world.store.runs_.values()
    assert (run.state, run.reason) == ("stopped", "`ada` cancelled this run. Comment `/heal retry` to run again.")
    assert not world.publisher.reviews
    assert [one.status for one in await world.store.proposals(5)] == (["pending"] if step == 2 else [])
    assert (fix.id[:8] in check.summary) == (step == 2), "what was found is in the check run"


# SC-1 OP-11
async def test_what_was_found_before_the_cancel_can_be_applied(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await cancelled_at(world, 2)
    assert "committed as" in await world.says(f"/heal apply {fix.id}", comment_id=2)
    assert world.status(fix) == "applied"


# SC-1 OP-11
async def test_a_run_that_waits_for_failures_ends_by_the_cancel_itself(world: MemoryWorld) -> None:
    from handlers import router

    reported = {
        "installation_id": 3,
        "repo": REPO,
        "sender": ADA,
        "sha": world.head,
        "source": "check_run",
        "name": "test",
    }
    await router.handle(CheckFailed.model_validate({**reported, "check_run_id": 11, "pull_numbers": (5,)}), world)
    assert world.check.status == "queued"
    answer = await world.says("/heal cancel", comment_id=1)
    assert answer.startswith("Cancelled the run on")
    check = world.check
    assert (check.title, check.status) == ("Cancelled", "completed")
    await world.work()
    assert not world.healer.healed
    assert [run.state for run in world.store.runs_.values()] == ["stopped"]
    assert await world.says("/heal cancel", comment_id=1) == answer, "a second life of the command answers the same"


# SC-1 OP-11
async def test_a_cancel_holds_for_that_run_and_no_later_one(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await cancelled_at(world, 1)
    world.healer.before_step = None
    assert "Started a run" in await world.says("/heal", comment_id=2)
    await world.work()
    assert world.status(fix) == "offered"


# SC-2 SC-3
async def test_a_cancel_of_nothing_says_so_and_a_readers_changes_nothing(world: MemoryWorld) -> None:
    world.will_heal(fix_of(world))
    await world.ci_fails()
    assert "Nothing is in progress on this pull request" in await world.says("/heal cancel", comment_id=1)
    assert "needs write access" in await world.says("/heal cancel", by=EVE, comment_id=2)
    assert world.check.title != "Cancelled"
