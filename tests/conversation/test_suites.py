"""The check suite that GitHub opens for Heal on every push is left open for nobody."""

import pytest
from inline_snapshot import snapshot

from lab.localhub import pushes
from lab.localhub.ci_state import CheckSuite
from tests.conversation.small_repo import HEALED, THREE_SLIPS
from tests.world import OpenWorld, World


def suites(w: World) -> list[CheckSuite]:
    return [suite for suite in w.hub.suites.values() if suite.app_slug == "heal"]


# GH-3
async def test_the_first_push_switches_off_the_suites_that_github_opens_and_ends_the_one_that_is_there(
    world: OpenWorld,
) -> None:
    async with world() as w:
        w.repo.suites_off.clear()
        first = await w.healed({"shop.py": HEALED})
        assert [suite.status for suite in suites(w)] == ["completed"]
        assert first.verdict() == snapshot("Heal: neutral, No check has failed")
        assert first.summary() == snapshot(
            "No check has failed on this commit. If one does, Heal adds a check run with the result."
        )
        second = await w.pull(THREE_SLIPS, branch="other")
        await w.heal()
        assert len(suites(w)) == 1, "GitHub opens none by itself any more"
        await w.ci()
        await w.heal()
        assert [suite.status for suite in suites(w)] == ["completed", "completed"]
        assert second.verdict() == snapshot("Heal: neutral, All 3 errors have a tested fix")
        assert (len(second.comments()), len(second.reviews()), len(second.offers())) == (1, 1, 3)


# GH-3 GH-14
@pytest.mark.parametrize("status", [403, 404, 422])
async def test_where_github_refuses_the_switch_every_push_gets_a_check_run(world: OpenWorld, status: int) -> None:
    async with world() as w:
        w.repo.suites_off.clear()
        w.github.faults.answer("PATCH", "/check-suites/preferences", status, {"message": "No."}, times=20)
        for text in ("A shop.", "A larger shop."):
            pushes.commit(w.hub, "maya", w.repo, "elsewhere", {"readme.md": text})
            await w.heal()
        assert [suite.status for suite in suites(w)] == ["completed", "completed"]


# GH-3
async def test_a_commit_that_fails_later_shows_the_look_at_it_and_not_that_nothing_failed(world: OpenWorld) -> None:
    async with world() as w:
        w.repo.suites_off.clear()
        pr = await w.pull(THREE_SLIPS)
        await w.heal()
        await w.ci()
        await w.heal()
        mine = [run for run in w.hub.check_runs.values() if run.app_slug == "heal"]
        assert [(run.head_sha, run.conclusion) for run in mine] == [(pr.head, "neutral")] * 2
        assert [run.title for run in mine] == ["No check has failed", "All 3 errors have a tested fix"]
        assert {suite.status for suite in suites(w)} == {"completed"}
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (1, 1, 3)
