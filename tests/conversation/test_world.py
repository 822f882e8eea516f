"""The language itself: a world fails its test for whatever was left behind."""

import logging

import pytest

from tests.conversation.small_repo import ONE_SLIP
from tests.world import OpenWorld


async def carelessly(world: OpenWorld) -> None:
    """Somebody writes a test that looks at nothing."""
    async with world() as w:
        await w.healed(ONE_SLIP)
        await w.pull(ONE_SLIP, branch="another")
        await w.ci()
        tomorrow = w.machine.contexts.now() + 86_400
        await w.machine.work.deliveries.store("nobody-hears-it", "check_run", b"{}", tomorrow)
        logging.getLogger("heal.somewhere").error("something broke")
        (w.folder / "heal" / "trees" / "1-dead" / "check-1").mkdir(parents=True)
        w.expected.append("a thing that never was")


async def test_a_world_complains_of_everything_that_nobody_looked_at(world: OpenWorld) -> None:
    with pytest.raises(AssertionError) as complaint:
        await carelessly(world)
    output = str(complaint.value)
    assert "unread on #1: ### Heal: 1 tested fix to review" in output
    assert "unread on #1: Fixes " in output
    assert "unread on #1: **Write `price` for `pirce`**" in output
    assert "delivery check_run is stored" in output
    assert "in the log: ERROR something broke" in output
    assert "a worktree: check-1" in output
    assert "expected, but not there: a thing that never was" in output
    assert "unread on #2" not in output
