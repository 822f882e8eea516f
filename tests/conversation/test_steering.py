"""People steer Heal: pause and resume, dry runs, explanations, the settings that hold."""

import pytest

from lab.localhub.state import ReviewComment
from tests.conversation.small_repo import GREEN, ONE_SLIP, THREE_SLIPS
from tests.world import OpenWorld


# SC-1 SC-2
async def test_a_paused_pull_request_gets_no_comment_until_somebody_says_resume(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull(ONE_SLIP)
        assert "Heal is paused on this pull request" in (await pr.says("noor", "/heal pause") or "")
        await w.ci()
        await w.heal()
        assert pr.verdict() == "Heal: neutral, Paused"
        assert "`noor` paused Heal" in pr.summary()
        assert pr.offers() == []
        assert "Nothing was started" in (await pr.says("maya", "/heal") or "")
        assert await pr.says("sam", "/heal resume")
        assert pr.offers() == []
        assert "Resumed." in (await pr.says("maya", "/heal resume") or "")
        assert len(pr.standing()) == 1
        assert pr.verdict() == "Heal: neutral, 1 error has a tested fix"
        assert (len(pr.comments()), len(pr.reviews())) == (5, 1)


# SC-1 GH-4
async def test_a_dry_run_says_what_would_be_offered_and_offers_nothing(world: OpenWorld) -> None:
    async with world() as w:
        draft = await w.pull(ONE_SLIP, draft=True)
        await w.ci()
        await w.heal()
        assert "Started a dry run" in (await draft.says("noor", "/heal dry-run") or "")
        assert (draft.offers(), draft.reviews()) == ([], [])
        assert "Dry run:" in draft.summary()
        (kept,) = await draft.stored()
        assert kept.status == "pending"
        assert kept.proposal.id[:8] in draft.summary()
        assert "was tested again and committed" in (
            await draft.says("noor", f"/heal apply {kept.proposal.id[:8]}") or ""
        )
        assert "pirce" not in draft.read("shop.py")
        assert len(draft.comments()) == 2


# SC-1 AF-3
async def test_snapshots_are_written_again_only_where_that_is_asked_for(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(ONE_SLIP)
        assert "snapshots" not in pr.summary()
        assert "updates stale snapshots" in (await pr.says("noor", "/heal snapshots") or "")
        assert "no failing test here compares with a snapshot" in pr.summary()
        assert (pr.suggested(), len(pr.comments()), len(pr.reviews())) == (1, 2, 1)


# SC-1
@pytest.mark.parametrize("reply", [True, False])
async def test_explain_tells_how_a_fix_came_about(world: OpenWorld, reply: bool) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first = pr.standing()[0]
        output = "/heal explain" if reply else f"/heal explain {first.id}"
        reported = await pr.says("maya", output, under=first if reply else None) or ""
        assert "Made by the rule “misspelt name”" in reported
        assert "`ruff F821`: Undefined name `pirce` at `shop.py:11`" in reported
        assert isinstance(first.comment, ReviewComment)
        assert (len(pr.reviews()), len(pr.comments())) == (1, 1 if reply else 2)
        assert len(pr.replies()) == reply


# SC-1 OP-7
async def test_config_shows_what_holds_on_the_base_branch(world: OpenWorld) -> None:
    async with world({**GREEN, ".github/heal.yml": "rerun_flaky: true\n"}) as w:
        pr = await w.pull({**ONE_SLIP, ".github/heal.yml": "rerun_flaky: false\nverify: ci\n"})
        await w.heal()  # a look at the changed file, which is right: nothing is said
        reported = await pr.says("maya", "/heal config") or ""
        assert "| `rerun_flaky` | `true` | heal.yml |" in reported
        assert '| `verify` | `"auto"` | default |' in reported
        assert len(pr.comments()) == 1
