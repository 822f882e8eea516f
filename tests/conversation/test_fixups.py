"""What no suggestion can carry becomes a pull request into the pull request's branch."""

# ruff: noqa: E501  (pages have long lines)

from inline_snapshot import snapshot

from lab.localhub import pulls
from tests.conversation.renaming import RENAMED, REPORT, WITH_REPORT
from tests.world import OpenWorld


# GH-1 GH-5
async def test_a_fix_outside_of_the_diff_becomes_a_draft_pull_request_that_says_everything(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        assert pr.verdict() == snapshot("Heal: neutral, 1 error has a tested fix")
        assert pr.reviews() == []
        assert pr.comments() == snapshot(
            [
                """\
### Heal: 1 tested fix to review

- **open** `1eb3e583`: Call `total` by its new name `total_price` · free (fixup pull request #2)

`/heal apply all` commits the open fixes. `/heal reject <id>` drops one.

<sub>As of `head1` · details in the check run “Heal” · [latest run](…/runs…) · [settings for this repository](…/repositories…) · `/heal help` lists the commands</sub>\
"""
            ]
        )
        fixup = w.page(2)
        assert (fixup.pull.author.login, fixup.pull.base_ref) == ("heal[bot]", "topic")
        assert fixup.pull.draft
        assert fixup.pull.labels == ["heal"]
        assert fixup.pull.title == snapshot("fix: call `total` by its new name `total_price` (for #1)")
        assert fixup.plain(fixup.pull.body or "") == snapshot("""\
1 tested fix for `topic`, on top of `head1`. Merge this pull request to apply it, close it to reject it. Heal will request reviews once CI passes here.

To take this commit onto your own branch: `git fetch origin heal/…/1 && git cherry-pick ..FETCH_HEAD`

#### `1eb3e583` Call `total` by its new name `total_price` · confidence 92 of 100, free

Fixes `pytest ImportError`: ImportError: cannot import name 'total' from 'shop' (shop.py) at `report.py:1`

This pull request renamed `total` to `total_price` in shop.py; the remaining uses of `total` follow.

▸ Proof: fails without the fix, passes with it, and 1 more check (tested in Heal's sandbox)\
""")
        assert w.hub.bare(w.repo).commits(pr.head, fixup.head) == [fixup.head]
        assert fixup.read("report.py") == snapshot("""\
from shop import total_price


def report(prices):
    return f"Total: {total_price(prices)}"
""")


# GH-5
async def test_merging_a_fixup_applies_its_fixes_and_leaves_no_branch(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        fixup = w.page(2)
        await w.ci()
        await w.heal()
        assert fixup.red() == []
        pulls.merge_pull(w.hub, "maya", fixup.pull)
        await w.heal()
        assert await pr.fixes() == snapshot({"Call `total` by its new name `total_price`": "applied"})
        await w.ci()
        await w.heal()
        assert pr.red() == []
        assert pr.comments() == snapshot(
            [
                """\
### Heal: the fix is applied

- **applied** `1eb3e583`: Call `total` by its new name `total_price` · free

`/heal rollback <id>` reverts one.

<sub>As of `head3` · details in the check run “Heal” · [latest run](…/runs…) · [settings for this repository](…/repositories…) · `/heal help` lists the commands</sub>\
"""
            ]
        )
        assert fixup.comments() == []
        assert w.hub.bare(w.repo).branch(fixup.pull.head_ref) is None


# GH-5
async def test_a_fixup_is_closed_with_its_pull_request(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        fixup = w.page(2)
        await pr.close()
        await w.heal()
        assert fixup.pull.state == "closed"
        assert w.hub.bare(w.repo).branch(fixup.pull.head_ref) is None
        assert set((await pr.fixes()).values()) == {"outdated"}
        assert len(pr.comments()) == 1
        assert fixup.comments() == snapshot(["Closed: pull request #1 was closed."])


# GH-5 IN-3
async def test_a_fixup_whose_fix_was_made_by_hand_is_closed(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        await pr.push({"report.py": REPORT.replace("total", "total_price")})
        await w.heal()
        assert w.page(2).pull.state == "closed"
        assert set((await pr.fixes()).values()) == {"applied"}
        assert pr.comments() == snapshot(
            [
                """\
### Heal: the fix is applied

- **applied** `1eb3e583`: Call `total` by its new name `total_price` · free

`/heal rollback <id>` reverts one.

<sub>As of `head2` · details in the check run “Heal” · [latest run](…/runs…) · [settings for this repository](…/repositories…) · `/heal help` lists the commands</sub>\
"""
            ]
        )
        assert w.page(2).comments() == snapshot(["Closed: #1 has changed, and none of these fixes is needed any more."])


# SC-4 SC-6
async def test_a_fix_in_a_fixup_can_be_applied_and_taken_back_by_command(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        before = pr.tree()
        assert await pr.says("maya", "/heal apply all") == snapshot("""\
- `1eb3e583` was tested again and committed as `head2`.

`/heal rollback <id>` reverts one.\
""")
        assert "total_price(prices)" in pr.read("report.py")
        assert w.page(2).pull.state == "closed"
        assert await pr.says("maya", "/heal rollback run") == snapshot(
            "Reverted `1eb3e583` in `head3`; the changed lines are exactly as they were before the fix. "
            "`/heal retry` looks for another fix."
        )
        assert pr.tree() == before
        assert len(pr.comments()) == 3
        assert len(w.page(2).comments()) == 1


# SC-5 SC-6
async def test_a_merged_fixup_is_taken_back_by_command(world: OpenWorld) -> None:
    async with world(WITH_REPORT) as w:
        pr = await w.healed(RENAMED)
        before = pr.tree()
        await w.ci()
        await w.heal()
        pulls.merge_pull(w.hub, "maya", w.page(2).pull)
        await w.heal()
        assert pr.tree() != before
        assert await pr.says("maya", "/heal rollback run") == snapshot(
            "Reverted `1eb3e583` in `head4`; the changed lines are exactly as they were before the fix. "
            "`/heal retry` looks for another fix."
        )
        assert pr.tree() == before
        assert set((await pr.fixes()).values()) == {"rolled-back"}
        assert len(pr.comments()) == 2
