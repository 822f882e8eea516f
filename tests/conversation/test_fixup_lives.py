"""The life of a fixup pull request: its own CI makes it ready, a new push lets it stand on the new head, people end it."""

# ruff: noqa: E501  (pages have long lines)

import re

import pytest
from inline_snapshot import snapshot

from bot.maintenance.loop import Maintenance
from bot.maintenance.retention import Retention
from lab.localhub import pulls, pushes
from lab.localhub.state import Refused
from tests.conversation.page import Page
from tests.conversation.renaming import RENAMED, WITH_REPORT
from tests.conversation.small_repo import CI, THREE_SLIPS
from tests.world import OpenWorld, World

OWNED = {**WITH_REPORT, ".github/CODEOWNERS": "* @sam\nreport.py @maya @noor @heal-nobody\ntest_*.py @sam\n"}
NO_CI_FOR_STACKS = {
    **WITH_REPORT,
    ".github/workflows/ci.yml": CI.replace("on: [pull_request]", "on:\n  pull_request:\n    branches: [main]"),
}


async def rounds(w: World, after: float) -> None:
    """The worker makes its round when that many seconds have passed."""
    w.clock.at += after
    await Maintenance(w.machine, Retention(30)).once()
    await w.heal()


def reviewers(page: Page) -> list[str]:
    return sorted(account.login for account in page.pull.reviewers)


# GH-5 GH-14
@pytest.mark.parametrize("granted", [False, True])
async def test_a_team_that_codeowners_names_is_asked_or_the_pull_request_says_that_it_was_not(
    world: OpenWorld, granted: bool
) -> None:
    async with world({**OWNED, ".github/CODEOWNERS": "report.py @maya @corner-shop/sales\n"}) as w:
        w.repo.teams.add("sales")
        if granted:
            w.installation.permissions["members"] = "read"
        pr = await w.healed(RENAMED)
        await w.ci()
        await w.heal()
        fixup = w.page(2)
        assert (fixup.pull.draft, reviewers(fixup), fixup.pull.teams) == (False, ["maya"], ["sales"] if granted else [])
        assert [text.split(",")[0] for text in fixup.comments()] == (
            [] if granted else ["No review was requested from `corner-shop/sales`"]
        )
        assert len(pr.comments()) == 1


# GH-5
async def test_a_draft_becomes_ready_when_its_own_ci_has_passed_and_the_owners_are_asked(world: OpenWorld) -> None:
    async with world(OWNED) as w:
        pr = await w.healed(RENAMED)
        fixup = w.page(2)
        assert (fixup.pull.draft, reviewers(fixup)) == (True, [])
        await w.ci()
        await w.heal()
        assert fixup.red() == []
        assert (fixup.pull.draft, reviewers(fixup)) == (False, ["maya", "noor"])
        assert fixup.comments() == [], "being ready says it all"
        assert len(pr.comments()) == 1


# GH-5
async def test_a_draft_whose_ci_is_red_stays_one_and_says_so_until_a_rerun_passes(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        fixup = w.page(2)
        await w.ci_says(fixup, "1 failed in 0.02s\n")
        await w.heal()
        assert fixup.pull.draft
        assert fixup.comments() == snapshot(
            [
                (
                    "CI fails on `head1`, so this pull request stays a draft and Heal requests no reviews. `topic` was already failing, so these may be errors that the fixes here don't cover; each fix above says which errors it fixes. When CI passes, Heal marks this pull request as ready. You can also mark it as ready yourself and merge it."
                )
            ]
        )
        assert fixup.summary() == snapshot(
            "Skipped: Heal doesn't repair its own pull requests. If you close one that offers fixes, they count as rejected."
        )
        await w.ci()  # the job that this stands for is run again, and passes
        await w.heal()
        assert not fixup.pull.draft
        assert fixup.comments() == ["CI passes: ready for review."]
        assert len(pr.comments()) == 1


# GH-5
async def test_where_no_ci_runs_within_five_minutes_heals_own_validation_decides_and_says_so(world: OpenWorld) -> None:
    async with world(NO_CI_FOR_STACKS) as w:
        pr = await w.healed(RENAMED)
        fixup = w.page(2)
        await w.ci()
        await rounds(w, 200)
        assert fixup.pull.draft
        await rounds(w, 100)
        assert not fixup.pull.draft
        assert fixup.comments() == snapshot(
            [
                (
                    "Ready for review. No CI ran on this pull request within 5 minutes; the proof is Heal's own test run, shown with "
                    "each fix."
                )
            ]
        )
        before = len(w.github.log)
        await rounds(w, 3600)
        assert len(w.github.log) == before, "nobody looks again"
        assert len(pr.comments()) == 1


# GH-5
async def test_where_drafts_are_refused_it_is_a_normal_pull_request_with_a_label(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        w.repo.drafts = False
        pr = await w.healed(RENAMED)
        fixup = w.page(2)
        assert (fixup.pull.draft, fixup.pull.labels) == (False, ["heal: not yet proven", "heal"])
        await w.ci()
        await w.heal()
        assert fixup.pull.labels == ["heal"]
        assert len(pr.comments()) == 1


# GH-5 IN-3
async def test_after_a_push_that_leaves_the_fix_standing_it_is_stacked_again_on_the_new_head(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        fixup = w.page(2)
        old = fixup.head
        await pr.push({"notes.txt": "one\n"})
        await w.heal()
        assert (fixup.pull.state, fixup.head != old) == ("open", True)
        assert w.hub.bare(w.repo).commits(pr.head, fixup.head) == [fixup.head], "one commit, on the new head"
        assert fixup.read("notes.txt") == "one\n"
        assert re.search(r"on top of `head2`", fixup.plain(fixup.pull.body or ""))
        assert set((await pr.fixes()).values()) == {"offered"}
        await w.ci()
        await w.heal()
        assert not fixup.pull.draft
        await pr.push({"notes.txt": "two\n"})
        await w.heal()
        assert fixup.read("notes.txt") == "two\n"
        assert len(w.hub.pulls_of(w.repo)) == 2
        assert len(pr.comments()) == 1


# GH-5
async def test_a_fixup_that_somebody_works_on_is_not_taken_out_of_their_hands(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        fixup = w.page(2)
        pushes.commit(w.hub, "noor", w.repo, fixup.pull.head_ref, {"extra.txt": "mine\n"}, "Finish it")
        await w.heal()
        await pr.push({"notes.txt": "one\n"})
        await w.heal()
        assert (fixup.read("extra.txt"), fixup.pull.state) == ("mine\n", "open")
        assert len(pr.comments()) == 1


# GH-5 GH-9
async def test_a_fixup_that_a_person_closes_is_a_no_and_its_branch_goes(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        fixup = w.page(2)
        await fixup.close("maya")
        await w.heal()
        assert set((await pr.fixes()).values()) == {"rejected"}
        assert w.hub.bare(w.repo).branch(fixup.pull.head_ref) is None
        assert fixup.comments() == []
        assert pr.comments() == snapshot(
            [
                """\
### Heal: no fixes left to review (1 rejected)

- **rejected** `1eb3e583`: Call `total` by its new name `total_price` · free

<sub>As of `head1` · details in the check run “Heal” · [latest run](…/runs…) · [settings for this repository](…/repositories…) · `/heal help` lists the commands</sub>\
"""
            ]
        )
        assert await pr.says("maya", "/heal retry") is not None
        assert len(w.hub.pulls_of(w.repo)) == 2, "not offered again"
        assert len(pr.comments()) == 2


# GH-1 GH-5
async def test_where_github_refuses_the_branch_the_fix_is_a_patch(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        w.github.faults.answer("POST", "/git/refs$", 422, {"message": "Repository rule violations found"}, times=9)
        pr = await w.healed(RENAMED)
        assert len(w.hub.pulls_of(w.repo)) == 1
        assert pr.comments() == snapshot(
            [
                """\
### Heal: 1 tested fix to review

- **open** `1eb3e583`: Call `total` by its new name `total_price` · free (patch)

▸ Patch of fix 1eb3e583

`/heal apply all` commits the open fixes. `/heal reject <id>` drops one.

<sub>As of `head1` · details in the check run “Heal” · [latest run](…/runs…) · [settings for this repository](…/repositories…) · `/heal help` lists the commands</sub>\
"""
            ]
        )


# GH-5 SC-4
async def test_on_a_protected_branch_apply_is_a_pull_request(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        w.repo.protected.add("topic")
        assert (
            await pr.says("maya", "/heal apply all")
            == snapshot("""\
- `1eb3e583` is in pull request #2. Merge it to apply the fix.

GitHub refused the commit (422): `Protected branch update failed for refs/heads/topic.` A ruleset or branch protection doesn't let Heal's GitHub App do this. To allow it, add the App to the rule's bypass list (*Settings → Rules*).""")
        )
        assert len(pr.comments()) == 2


# GH-5 SC-4
async def test_suggestions_for_a_protected_branch_get_a_pull_request_when_they_are_applied(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first, second, _ = pr.standing()
        w.repo.protected.add("topic")
        assert (
            await pr.says("maya", f"/heal apply {first.id} {second.id}")
            == snapshot("""\
- `a93ebe6b` is in pull request #2. Merge it to apply the fix.
- `883915f4` is in pull request #2. Merge it to apply the fix.

GitHub refused the commit (422): `Protected branch update failed for refs/heads/topic.` A ruleset or branch protection doesn't let Heal's GitHub App do this. To allow it, add the App to the rule's bypass list (*Settings → Rules*).""")
        )
        made = w.page(2)
        assert (made.pull.draft, made.pull.base_ref) == (False, "topic")
        assert len(w.hub.bare(w.repo).commits(pr.head, made.head)) == 2
        assert "price * percent" in made.read("shop.py")
        assert "count // size" in made.read("shop.py")
        assert pr.comments()[0] == snapshot("""\
### Heal: 3 tested fixes to review

- **open** `a93ebe6b`: Write `price` for `pirce` · free (fixup pull request #2)
- **open** `883915f4`: Write `size` for `szie` · free (fixup pull request #2)
- **open** `b61a1aff`: Write `name` for `nmae` · free (suggested change)

`/heal apply all` commits the open fixes. `/heal reject <id>` drops one.

<sub>As of `head1` · details in the check run “Heal” · [latest run](…/runs…) · [settings for this repository](…/repositories…) · `/heal help` lists the commands</sub>\
""")
        assert [text.split("\n")[0] for text in pr.withdrawn()] == ["**Offered again** in #2."] * 2
        pulls.merge_pull(w.hub, "maya", made.pull)
        await w.heal()
        assert sorted((await pr.fixes()).values()) == ["applied", "applied", "offered"]
        assert [text.split("\n")[0] for text in pr.withdrawn()] == ["**Applied** in `head4`."] * 2
        assert w.hub.bare(w.repo).branch(made.pull.head_ref) is None
        assert pr.comments()
        assert pr.reviews()


# GH-5
async def test_every_commit_of_heals_is_signed_by_github(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        await pr.push({"notes.txt": "one\n"})
        await w.heal()
        made = [w.page(2).head]
        await pr.says("maya", "/heal apply all")
        made.append(pr.head)
        await pr.says("maya", "/heal rollback run")
        made.append(pr.head)
        bare = w.hub.bare(w.repo)
        assert [bare.info(sha).committer_email for sha in made] == ["noreply@github.com"] * 3
        assert {bare.info(sha).author_name for sha in made} == {"heal[bot]"}
        assert pr.comments()
        assert w.page(2).comments()


async def test_merging_a_draft_is_refused_by_github(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        with pytest.raises(Refused, match="not mergeable"):
            pulls.merge_pull(w.hub, "maya", w.page(2).pull)
        assert len(pr.comments()) == 1
