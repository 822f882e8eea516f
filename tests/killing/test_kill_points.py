"""Kill -9 at any step of a run costs nothing and repeats nothing: the end is the same as if nothing had happened."""

import asyncio

import pytest

from tests.killing.conftest import Undisturbed
from tests.killing.ending import Bill, bill_of, difference, ending_of
from tests.killing.points import APPLYING, HEALING, REPO, Point, after
from tests.killing.stage import Stage, applies, heals, set_stage
from tests.killing.theatre import Theatre

LOST = 0.1  # dollars: less than the worst case of one call here, more than all calls together


def cases(points: tuple[Point, ...]) -> list[object]:
    return [pytest.param(point, id=point.name) for point in points]


def left_behind(stage: Stage) -> list[str]:
    """What the dead life left, or the living one forgot: worktrees, half-made things, crashes in the log."""
    crashes = [line for line in stage.heal.log.splitlines() if "Traceback" in line or "ERROR" in line]
    return [*stage.heal.left(), *crashes]


def asked_again(bill: Bill) -> list[int]:
    """How often the model was asked what it had been asked before."""
    return [times for times in bill.asked.values() if times > 1]


# OP-3, GH-4
async def test_killed_in_the_middle_of_a_post_nothing_is_posted_twice(theatre: Theatre) -> None:
    async with set_stage(theatre, theatre.opening()) as stage:
        Point("after the review", after("POST", f"{REPO}/pulls/1/reviews")).arm(stage)
        async with asyncio.TaskGroup() as group:
            group.create_task(stage.revive())
            group.create_task(heals(stage, theatre.recorded))
        ending, bill = ending_of(stage), bill_of(stage)
        assert left_behind(stage) == []
        await stage.heal.stop()
        assert [path.name for path in (theatre.data / "trees").iterdir()] == []
    assert (len(ending.reviews), len(ending.comments), len(ending.checks)) == (1, 1, 1)
    assert [proposal[1:] for proposal in ending.proposals] == [("offered", "suggestion"), ("offered", "fixup")]
    assert asked_again(bill) == []


# OP-3, IN-2, GH-4, LM-6
@pytest.mark.slow
@pytest.mark.parametrize("point", cases(HEALING))
async def test_a_healing_ends_as_if_nothing_had_happened(
    point: Point, theatre: Theatre, undisturbed: Undisturbed
) -> None:
    async with set_stage(theatre, theatre.opening(point.cold), point.quiet) as stage:
        point.arm(stage)
        async with asyncio.TaskGroup() as group:
            group.create_task(stage.revive())
            group.create_task(heals(stage, theatre.recorded))
        await stage.until("rest", stage.idle)
        assert difference(undisturbed.healed, ending_of(stage)) == ""
        assert left_behind(stage) == []
        bill = bill_of(stage)
    expected = undisturbed.bill
    assert (len(bill.asked), bill.calls) == (len(expected.asked), expected.calls)
    if point.in_flight is None:
        assert asked_again(bill) in ([], [2])
        assert bill.dollars >= expected.dollars
    else:
        assert asked_again(bill) == ([2] if point.in_flight else [])
        assert (bill.dollars > expected.dollars + LOST) == point.in_flight  # the lost call's reservation stays spent
        assert bill.lost == int(point.in_flight)


# OP-3, SC-4, GH-4
@pytest.mark.slow
@pytest.mark.parametrize("point", cases(APPLYING))
async def test_a_command_ends_as_if_nothing_had_happened(
    point: Point, theatre: Theatre, undisturbed: Undisturbed
) -> None:
    async with set_stage(theatre, theatre.resume(undisturbed.interlude)) as stage:
        point.arm(stage)
        async with asyncio.TaskGroup() as group:
            group.create_task(stage.revive())
            group.create_task(applies(stage))
        await stage.until("rest", stage.idle)
        assert difference(undisturbed.applied, ending_of(stage)) == ""
        assert left_behind(stage) == []
        assert stage.model.asked == []
