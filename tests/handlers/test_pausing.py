"""A pause is obeyed before every step; what people ask is still answered."""

import pytest

from tests.handlers.pull import BASE, EVE, HEAD, fix_of
from tests.handlers.world import MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


# SC-1
async def test_nothing_is_started_while_heal_is_told_to_be_still(world: MemoryWorld) -> None:
    world.will_heal(fix_of(world))
    assert "Heal is paused on this pull request" in await world.says("/heal pause", comment_id=1)
    assert "Already paused by `ada`" in await world.says("/heal pause", comment_id=2)
    await world.ci_fails()
    assert not world.healer.healed
    assert not world.publisher.reviews
    check = world.check
    assert (check.title, check.conclusion) == ("Paused", "neutral")
    assert "Comment `/heal resume` to continue" in check.summary
    for number, word in enumerate(("", "retry", "dry-run"), 3):
        assert "Nothing was started" in await world.says(f"/heal {word}", comment_id=number)
    assert not world.queued


# SC-1
@pytest.mark.parametrize("when", ["before the engine begins", "while it is at work", "when it is done"])
async def test_what_is_under_way_stops_before_its_next_step(world: MemoryWorld, when: str) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    world.healer.pauses = {"before the engine begins": 0, "while it is at work": 1, "when it is done": 2}[when]
    world.healer.store = world.store
    await world.ci_fails()
    assert not world.publisher.reviews
    assert world.check.title == "Paused"
    assert [run.state for run in world.store.runs_.values()] == ["stopped"]
    kept = await world.store.proposals(5)
    assert [item.status for item in kept] == (["pending"] if when == "when it is done" else [])


# SC-1 IN-3
async def test_resume_makes_up_for_what_was_left_alone(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    assert world.status(fix) == "offered"
    await world.says("/heal pause", comment_id=1)
    await world.pushed({**world.files, "other.txt": b"new\n"})
    reviews = len(world.publisher.reviews)
    await world.ci_fails(check_run_id=12)
    assert len(world.healer.healed) == 1
    assert "Resumed. Started a run" in await world.says("/heal resume", comment_id=2)
    await world.work()
    assert len(world.healer.healed) == 2
    assert world.status(fix) == "offered"
    assert len(world.publisher.reviews) >= reviews
    assert "isn't paused" in await world.says("/heal resume", comment_id=3)


# SC-3
async def test_only_people_with_write_access_may_pause(world: MemoryWorld) -> None:
    for number, word in enumerate(("pause", "resume", "dry-run", "explain", "config"), 1):
        assert "needs write access" in await world.says(f"/heal {word}", by=EVE, comment_id=number)
    assert await world.store.paused_by(5) is None


# SC-1
async def test_a_dry_run_proves_and_offers_nothing_until_it_is_asked_to(world: MemoryWorld) -> None:
    fix = fix_of(world)
    await world.ci_fails()
    world.will_heal(fix, run_id="run2")
    assert "Started a dry run" in await world.says("/heal dry-run", comment_id=1)
    await world.work()
    assert not world.publisher.reviews
    assert not world.publisher.fixups
    assert world.status(fix) == "pending"
    check = world.check
    assert "Dry run:" in check.summary
    assert fix.id[:8] in check.summary
    assert "Started a run" in await world.says("/heal", comment_id=2)
    await world.work()
    assert world.status(fix) == "offered"
    assert "Dry run:" not in world.check.summary


# SC-1
async def test_config_shows_what_holds_and_what_is_wrong(world: MemoryWorld) -> None:
    text = await world.says("/heal config", comment_id=1)
    assert '| `verify` | `"ci"` | heal.yml |' in text
    world.healer.problems = ("line 2: unknown key `checsk`",)
    assert "The file has errors" in await world.says("/heal config", comment_id=2)


# SC-2
async def test_config_on_a_pull_request_that_is_gone_says_so(world: MemoryWorld) -> None:
    world.hub.pulls.clear()
    assert "Heal can't read pull request #5" in await world.says("/heal config", comment_id=1)
