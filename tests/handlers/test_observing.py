"""A repository that is new to Heal: it looks and tells, and offers nothing until somebody says so (OP-8)."""

import pytest

from handlers.comments.switches import OBSERVING
from handlers.model import Refused
from handlers.runs import healing_run
from tests.handlers.pull import BASE, EVE, HEAD, far_fix_of, fix_of
from tests.handlers.world import MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    made = MemoryWorld(BASE, HEAD)
    made.store.offers = False
    return made


def check_run_text(world: MemoryWorld) -> str:
    return world.check.summary


# OP-8
async def test_nothing_but_the_check_run_is_posted_and_it_says_how_to_go_on(world: MemoryWorld) -> None:
    near, far = fix_of(world), far_fix_of(world)
    world.will_heal(near, far)
    await world.ci_fails()
    assert OBSERVING[0] in check_run_text(world)
    assert near.id[:8] in check_run_text(world)
    posted = world.publisher
    assert [*posted.reviews, *posted.stickies, *posted.fixups, *posted.answers] == []
    assert world.status(near) == "pending"


# OP-8
async def test_on_offers_what_was_found_and_off_goes_back(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    assert "Heal now offers fixes in this repository" in await world.says("/heal on", comment_id=1)
    await world.work()
    assert world.status(fix) == "offered"
    assert len(world.publisher.reviews) == 1
    assert OBSERVING[0] not in check_run_text(world)
    assert "already offers fixes in this repository" in await world.says("/heal on", comment_id=2)
    assert "Back in trial mode" in await world.says("/heal off", comment_id=3)
    await world.ci_fails(check_run_id=12)
    assert OBSERVING[0] in check_run_text(world)
    assert len(world.publisher.reviews) == 1


# OP-8, SC-3
async def test_only_people_with_write_access_switch(world: MemoryWorld) -> None:
    for number, word in enumerate(("on", "off"), 1):
        assert "needs write access" in await world.says(f"/heal {word}", by=EVE, comment_id=number)
    assert await world.store.observing()


# OP-8
async def test_on_said_where_nothing_can_be_started_switches_all_the_same(world: MemoryWorld) -> None:
    await world.says("/heal pause", comment_id=1)
    text = await world.says("/heal on", comment_id=2)
    assert "now offers fixes" in text
    assert "Nothing was started" in text
    assert not await world.store.observing()


# OP-8, IN-3
async def test_a_push_meanwhile_carries_what_was_found_and_says_nothing(world: MemoryWorld) -> None:
    fix = fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.pushed({**world.files, "other.txt": b"new\n"})
    assert not world.publisher.reviews
    assert not world.publisher.stickies
    assert world.status(fix) == "pending"


# OP-8
@pytest.mark.parametrize("when", [0, 1, 2], ids=["before it begins", "at work", "when it is done"])
async def test_a_run_stops_before_its_next_step_when_the_operator_stops_heal_and_goes_on_later(
    when: int,
) -> None:
    world = MemoryWorld(BASE, HEAD)
    world.will_heal(fix_of(world))
    world.healer.pauses, world.healer.store, world.healer.stops = when, world.store, True
    with pytest.raises(Refused) as caught:
        await world.ci_fails()
    assert caught.value.retry_after
    assert not world.publisher.reviews
    world.store.stop, world.healer.pauses = None, None
    (run,) = world.store.runs_.values()
    assert run.state in ("gathering", "running")
    await healing_run.execute(world, run)
    assert len(world.publisher.reviews) == 1
