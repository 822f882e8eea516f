"""What GitHub doesn't take falls back: suggestion, fixup pull request, patch; and people read why."""

import pytest

from handlers.model import Refused
from tests.handlers.pull import BASE, HEAD, STICKY, far_fix_of, fix_of
from tests.handlers.world import MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


def summary_of(world: MemoryWorld) -> str:
    return world.check.summary


# GH-1
@pytest.mark.parametrize("both", [True, False])
async def test_a_suggestion_that_github_refuses_goes_into_the_fixup(world: MemoryWorld, both: bool) -> None:
    near, far = fix_of(world), far_fix_of(world)
    world.publisher.refuses_suggestions = {near.id}
    world.will_heal(near, *([far] if both else []))
    await world.ci_fails()
    (fixup,) = world.publisher.fixups.values()
    assert len(fixup.commits) == 1 + both
    assert world.status(near) == "offered"
    assert "fixup pull request: GitHub refused the suggested change" in summary_of(world)
    assert "GitHub refused the suggested change" in await world.says("/heal list")


# GH-1, GH-10
async def test_why_a_fix_is_no_suggestion_is_told_on_the_check_run_and_in_the_list(world: MemoryWorld) -> None:
    world.will_heal(fix_of(world), far_fix_of(world))
    await world.ci_fails()
    why = "are not in the pull request's diff"
    assert "| suggested change |" in summary_of(world)
    assert why in summary_of(world)
    assert why in await world.says("/heal list")


# GH-1
async def test_where_github_takes_neither_the_patch_is_the_last_resort(world: MemoryWorld) -> None:
    near = fix_of(world)
    world.publisher.refuses_suggestions = {near.id}
    world.publisher.refuses_fixups = Refused(422, "Branch creation is restricted")
    world.will_heal(near)
    await world.ci_fails()
    assert "git apply" in world.publisher.stickies[STICKY]
    assert "patch in the summary comment" in summary_of(world)


# GH-3, GH-10
async def test_in_a_locked_conversation_the_check_run_tells_all_and_ends(world: MemoryWorld) -> None:
    near, far = fix_of(world), far_fix_of(world)
    world.publisher.locked = True
    world.will_heal(near, far)
    await world.ci_fails()
    check = world.check
    assert (check.status, check.conclusion) == ("completed", "neutral")
    assert check.summary.count("fixup pull request: ") == 2
    (run,) = world.store.runs_.values()
    assert run.state == "done"


# GH-1
async def test_nothing_is_said_to_be_in_a_summary_comment_that_is_not_there(world: MemoryWorld) -> None:
    world.publisher.locked = True
    world.publisher.refuses_fixups = Refused(403, "Resource not accessible by integration")
    world.will_heal(fix_of(world))
    await world.ci_fails()
    assert (
        "not offered: GitHub refused the summary comment (403): `Unable to create comment because issue is locked.`"
        in summary_of(world)
    )


# SC-2
async def test_a_command_that_was_taken_back_is_not_obeyed(world: MemoryWorld) -> None:
    near = fix_of(world)
    world.will_heal(near)
    await world.ci_fails()
    world.publisher.taken_back = {77}
    assert not await world.says(f"/heal reject {near.id}", comment_id=77)
    assert world.status(near) == "offered"
    assert not world.publisher.answers


# SC-2
async def test_in_a_locked_conversation_a_command_is_obeyed_without_an_answer(world: MemoryWorld) -> None:
    near = fix_of(world)
    world.will_heal(near)
    await world.ci_fails()
    world.publisher.locked = True
    assert not await world.says(f"/heal reject {near.id}", comment_id=77)
    assert world.status(near) == "rejected"
