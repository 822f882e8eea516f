"""Fixup pull requests: what becomes one, and how each ends (GH-5)."""

import pytest

from handlers import router
from handlers.events import PullClosed
from tests.handlers.hub import ADA, REPO
from tests.handlers.pull import BASE, HEAD, far_fix_of
from tests.handlers.world import MemoryWorld


@pytest.fixture
def world() -> MemoryWorld:
    return MemoryWorld(BASE, HEAD)


# GH-1
async def test_a_fix_outside_the_diff_becomes_a_fixup_pull_request(world: MemoryWorld) -> None:
    fix = far_fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    (fixup,) = world.publisher.fixups.values()
    assert (fixup.branch, fixup.base_ref, fixup.start_sha) == ("heal/run1/1", "faster", world.head)
    assert fixup.commits[0][2][0].mode == "100755"
    assert "Heal-Generation: 1" in fixup.commits[0][1]
    assert world.store.proposals_[5, fix.id].delivery == "fixup"


# GH-5
async def test_closing_the_pull_request_closes_its_fixup(world: MemoryWorld) -> None:
    fix = far_fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    world.hub.pulls[5] = world.hub.pulls[5].model_copy(update={"state": "closed"})
    closed = PullClosed(installation_id=3, repo=REPO, sender=ADA, number=5, merged=False)
    world.hub.pulls[5] = world.hub.pulls[5].model_copy(update={"state": "closed"})
    await router.handle(closed, world)
    assert world.publisher.closed_fixups == [(50, "heal/run1/1")]
    assert world.status(fix) == "outdated"


# GH-5
async def test_a_fixup_that_was_merged_is_closed_with_its_branch(world: MemoryWorld) -> None:
    fix = far_fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.pushed({**HEAD, "run.sh": b"true\n"})
    assert world.status(fix) == "applied"
    assert world.publisher.closed_fixups == [(50, "heal/run1/1")]


# GH-5
async def test_a_fixup_whose_fix_was_applied_by_command_is_closed_once(world: MemoryWorld) -> None:
    fix = far_fix_of(world)
    world.will_heal(fix)
    await world.ci_fails()
    await world.says("/heal apply all", comment_id=1)
    assert world.status(fix) == "applied"
    for text in (b"1\n", b"2\n"):  # the command's own commit is heard of as a push, and later comes another
        await world.pushed({**world.files, "other.txt": text})
    assert world.publisher.closed_fixups == [(50, "heal/run1/1")]
