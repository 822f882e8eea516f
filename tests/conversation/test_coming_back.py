"""Somebody comes back to what was over: a pull request opened again, a branch deleted, "Re-run" on Heal's check."""

import pytest

from lab.localhub import checks, pulls, pushes
from tests.conversation.renaming import RENAMED, WITH_REPORT
from tests.conversation.small_repo import HEALED, THREE_SLIPS
from tests.world import OpenWorld, World


# GH-5 IN-1
async def test_what_was_closed_with_its_pull_request_is_offered_again_when_that_is_opened_again(
    world: OpenWorld,
) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        first = w.page(2)
        await pr.close()
        await w.heal()
        assert set((await pr.fixes()).values()) == {"outdated"}
        pulls.reopen_pull(w.hub, "maya", pr.pull)
        await w.ci()
        await w.heal()
        assert set((await pr.fixes()).values()) == {"offered"}
        standing = [pull for pull in w.hub.pulls_of(w.repo) if pull.state == "open" and pull.number != pr.number]
        assert [pull.base_ref for pull in standing] == ["topic"]
        assert len([run for run in await pr.runs() if run.state == "done"]) == 2
        assert len(pr.comments()) == 1
        assert first.comments() == ["Closed: pull request #1 was closed."]


# GH-5 GH-9
async def test_anyone_who_deletes_a_fixups_branch_has_said_no(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        fixup = w.page(2)
        pushes.move_branch(w.hub, w.repo, fixup.pull.head_ref, None, w.hub.person("maya"))
        await w.heal()
        assert (fixup.pull.state, set((await pr.fixes()).values())) == ("closed", {"rejected"})
        assert (fixup.comments(), len(pr.comments())) == ([], 1)


async def again(w: World, who: str, whole_suite: bool) -> None:
    """Somebody presses "Re-run" on Heal's check, or "Re-run all checks"."""
    (run,) = [run for run in w.hub.check_runs.values() if run.app_slug == "heal"]
    if whole_suite:
        suite = w.hub.suites[run.suite_id]
        w.hub.publish("check_suite", "rerequested", w.repo, w.hub.person(who), only_app="heal", suite=suite)
    else:
        checks.rerequest(w.hub, who, run)
    await w.heal()


# IN-1 IN-3 SC-3
@pytest.mark.parametrize("whole_suite", [False, True], ids=["the check", "all checks"])
async def test_rerun_on_heals_check_looks_again_for_anyone_who_may_write_and_posts_nothing_twice(
    world: OpenWorld, whole_suite: bool
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        posted = (len(pr.comments()), len(pr.reviews()), pr.suggested())
        await again(w, "sam", whole_suite)
        assert len(await pr.runs()) == 1, "a reader may not"
        await again(w, "maya", whole_suite)
        assert [run.state for run in await pr.runs()] == ["done", "done"]
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == posted
        assert pr.verdict() == "Heal: neutral, All 3 errors have a tested fix"


# IN-1
async def test_rerun_where_nothing_ever_failed_starts_nothing(world: OpenWorld) -> None:
    async with world() as w:
        w.repo.suites_off.clear()  # GitHub opens a suite for Heal on every push
        pr = await w.pull({"shop.py": HEALED}, message="A change")
        await w.ci()
        pushed = w.hub.suites
        (suite,) = [one for one in pushed.values() if (one.app_slug, one.head_sha) == ("heal", pr.head)]
        w.hub.publish("check_suite", "rerequested", w.repo, w.hub.person("maya"), only_app="heal", suite=suite)
        await w.heal()
        assert (await pr.runs(), pr.verdict()) == ([], "Heal: neutral, No check has failed")
