"""Applied fixes that go, by whatever way, and that come back (GH-6, SC-5)."""

import pytest

from handlers import router
from handlers.events import ButtonPressed
from healing.model import Edit
from tests.handlers.hub import ADA, REPO
from tests.handlers.pull import BASE, EVE, HEAD, far_fix_of, fix_of
from tests.handlers.world import ERROR, MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


# GH-6
async def test_a_revert_by_a_person_is_noticed_and_the_fix_is_not_offered_again_unasked(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    before = world.files
    await world.accepts(fix)
    assert world.status(fix) == "applied"
    await world.pushed(before, 'Revert "Update calc.py"')
    assert world.status(fix) == "rolled-back"
    assert world.store.proposals_[5, fix.id].reason == "a later commit reverted it"
    world.will_heal(fix, run_id="run2")
    await world.ci_fails(check_run_id=12)
    assert world.status(fix) == "rolled-back"
    await world.says("/heal retry", comment_id=1)
    await world.work()
    assert world.status(fix) == "offered", "asked for"


# GH-6
async def test_a_push_by_force_that_loses_an_accepted_fix_lets_it_be_offered_again(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    before = world.files
    await world.accepts(fix)
    world.hub.thrown_away.add(world.head)
    await world.pushed({**before, "other.txt": b"1\n"})
    assert world.status(fix) == "outdated"
    world.will_heal(fix, run_id="run2")
    await world.ci_fails(check_run_id=12)
    assert world.status(fix) == "offered"


# GH-6
async def test_a_fix_that_was_edited_since_still_counts_as_applied(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.accepts(fix)
    edited = world.files["calc.py"].replace(b"import math\n", b"import cmath as math\n")
    await world.pushed({**world.files, "calc.py": edited})
    assert world.status(fix) == "applied"


# GH-6 SC-5
async def test_what_was_taken_back_can_be_applied_again_and_taken_back_again(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    before = world.files
    for number in range(1, 7, 2):
        assert "committed" in await world.says(f"/heal apply {fix.id}", comment_id=number)
        assert world.status(fix) == "applied"
        assert "exactly as they were before" in await world.says(f"/heal rollback {fix.id}", comment_id=number + 1)
        assert (world.status(fix), world.files) == ("rolled-back", before)


# SC-5
async def test_a_person_who_brings_a_fix_back_by_hand_can_still_have_it_taken_back(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    before = world.files
    await world.accepts(fix)
    accepted = world.files
    await world.pushed(before)
    await world.pushed(accepted)
    assert "exactly as they were before" in await world.says(f"/heal rollback {fix.id}", comment_id=1)
    assert world.files == before


async def newly_red(world: MemoryWorld) -> None:
    """A fix was accepted, and CI shows a new error in the line that it wrote."""
    fix, far = fix_of(world), far_fix_of(world)
    world.will_heal(fix, far)
    await world.ci_fails()
    await world.accepts(fix)
    new = ERROR.model_copy(update={"id": "E7", "code": "I001", "line": 1, "message": "Import block is un-sorted"})
    world.will_heal(errors=(new,), run_id="run2", verdict="not-healed", resolutions=())
    await world.ci_fails(check_run_id=12)


async def press(world: MemoryWorld, by: object = ADA) -> None:
    pressed = ButtonPressed(
        installation_id=3, repo=REPO, sender=by, sha=world.head, check_run_id=31, identifier="rollback"
    )
    await router.handle(pressed, world)


# GH-6
async def test_where_ci_is_newly_red_by_a_fix_the_rollback_is_offered_by_button_and_command(world: MemoryWorld) -> None:
    await newly_red(world)
    fix = next(item.proposal for item in world.store.proposals_.values() if item.status == "applied")
    check = world.check
    assert ("Roll back", "Revert the fixes that broke CI", "rollback") in check.actions
    assert f"`/heal rollback {fix.id[:8]}` reverts the fix" in check.summary
    before = world.head
    await press(world, by=EVE)
    assert world.head == before, "only who may write"
    await press(world)
    assert world.files == HEAD
    assert world.status(fix) == "rolled-back"
    assert sorted(item.status for item in world.store.proposals_.values()) == ["offered", "rolled-back"]


# GH-3 GH-6
async def test_there_are_never_more_than_three_buttons(world: MemoryWorld) -> None:
    await newly_red(world)
    actions = world.check.actions
    assert [identifier for *_, identifier in actions] == ["rollback", "apply-all", "retry"]
    for label, description, identifier in actions:
        assert (len(label) <= 20, len(description) <= 40, len(identifier) <= 20) == (True, True, True)


# SC-5 SC-6
async def test_of_two_fixes_over_each_other_the_lower_one_names_the_upper_and_both_go_together(
    world: MemoryWorld,
) -> None:
    first = fix_of(world, id="aaaa1111")
    world.will_heal(first)
    await world.ci_fails()
    before = world.files
    await world.says("/heal apply aaaa1111", comment_id=1)
    over = Edit(file="calc.py", old_string="import math\n", new_string="import cmath as math\n")
    second = world.proposal(over, id="bbbb2222", title="Complex")
    world.will_heal(second, run_id="run2")
    await world.ci_fails(check_run_id=12)
    await world.says("/heal apply bbbb2222", comment_id=2)
    both = world.files
    answer = await world.says("/heal rollback aaaa1111", comment_id=3)
    assert "**Nothing was changed:**" in answer
    assert "`bbbb2222` was applied on top of it: `/heal rollback aaaa1111 bbbb2222` reverts them together." in answer
    assert world.files == both
    await world.says("/heal rollback bbbb2222", comment_id=4)
    assert b"import math\n" in world.files["calc.py"]
    await world.says("/heal rollback aaaa1111", comment_id=5)
    assert world.files == before
    await world.says("/heal apply aaaa1111", comment_id=6)
    await world.says("/heal apply bbbb2222", comment_id=7)
    assert world.files == both
    assert "exactly as they were before" in await world.says("/heal rollback aaaa1111 bbbb2222", comment_id=8)
    assert world.files == before
