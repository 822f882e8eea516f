"""What came in through Heal goes out again byte for byte, or not at all."""

# ruff: noqa: E501  (pages have long lines)

import pytest
from inline_snapshot import snapshot

from tests.conversation.small_repo import HEALED, THREE_SLIPS
from tests.world import OpenWorld


# SC-5 SC-6
async def test_rollback_of_an_accepted_suggestion_brings_every_byte_back(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        before = pr.tree()
        first = pr.standing()[0]
        await pr.accepts("maya", first)
        assert pr.tree() != before
        assert await pr.says("maya", f"/heal rollback {first.id[:8]}") == snapshot(
            "Reverted `a93ebe6b` in `head3`; the changed lines are exactly as they were before the fix. "
            "`/heal retry` looks for another fix."
        )
        assert pr.tree() == before
        assert await pr.fixes() == snapshot(
            {
                "Write `price` for `pirce`": "rolled-back",
                "Write `size` for `szie`": "offered",
                "Write `name` for `nmae`": "offered",
            }
        )
        await w.ci()
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, Nothing done")
        assert pr.summary() == snapshot(
            "Skipped: this commit reverted a fix, so the old failure is expected. `/heal retry` looks for another fix."
        )
        assert len(pr.comments()) == 2
        assert len(pr.reviews()) == 1
        assert pr.suggested() == 3


# SC-4 SC-5 SC-6
async def test_apply_then_rollback_gives_the_bytes_that_were_there_before(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        before = pr.tree()
        assert await pr.says("maya", "/heal apply all") == snapshot("""\
- `a93ebe6b` was tested again and committed as `head2`.
- `883915f4` was tested again and committed as `head3`.
- `b61a1aff` was tested again and committed as `head4`.

`/heal rollback <id>` reverts one.\
""")
        assert pr.read("shop.py") == HEALED
        assert await pr.says("maya", "/heal rollback run") == snapshot(
            "Reverted `a93ebe6b`, `883915f4` and `b61a1aff` in `head5`; the changed lines are exactly as they were before the "
            "fixes. `/heal retry` looks for another fix."
        )
        assert pr.tree() == before
        assert set((await pr.fixes()).values()) == {"rolled-back"}
        assert (len(pr.reviews()), pr.suggested(), len(pr.comments())) == (1, 3, 3)


# SC-5
async def test_rollback_keeps_an_unrelated_edit_of_the_same_file(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        second = pr.standing()[1]
        await pr.accepts("maya", second)
        edited = "# Written by Noor.\n" + pr.read("shop.py").replace("on the shelf", "on each shelf")
        await pr.push({"shop.py": edited})
        await w.heal()
        assert await pr.says("maya", "/heal rollback", under=second) == snapshot(
            "Reverted `883915f4` in `head4`; the changed lines are exactly as they were before the fix. "
            "`/heal retry` looks for another fix."
        )
        assert pr.read("shop.py") == edited.replace("count // size", "count // szie")
        assert (len(pr.reviews()), pr.suggested(), len(pr.comments())) == (1, 3, 1)


# SC-5
async def test_where_the_reverse_no_longer_fits_nothing_changes_and_the_answer_shows_it(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first, second, _ = pr.standing()
        assert await pr.says("maya", f"/heal rollback {second.id}") == snapshot(
            "Nothing to revert: `883915f4` is not on the branch. `/heal list` shows what is."
        )
        await pr.accepts("maya", first)
        await pr.push({"shop.py": pr.read("shop.py").replace("price * percent / 100", "price * percent * 0.01")})
        await w.heal()
        before = pr.head
        assert await pr.says("maya", f"/heal rollback {first.id}") == snapshot("""\
**Nothing was changed:** `a93ebe6b` can't be reverted cleanly, because line 11 of `shop.py` has changed from `return price - price * percent / 100` to `return price - price * percent * 0.01`.

To do it by hand, this is the reverse change:

```diff
# shop.py
-    return price - price * percent / 100
+    return price - pirce * percent / 100
```\
""")
        assert pr.head == before
        assert (len(pr.reviews()), pr.suggested(), len(pr.comments())) == (1, 3, 3)


# SC-5 GH-14
async def test_rules_against_deletion_and_pushes_by_force_do_not_keep_a_rollback_off_the_branch(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first = pr.standing()[0]
        before = pr.tree()
        await pr.accepts("maya", first)
        w.repo.rules["topic"] = ("deletion", "non_fast_forward", "required_linear_history")
        assert "Pull request" not in (await pr.says("maya", f"/heal rollback {first.id}") or "")
        assert pr.tree() == before
        assert (len(pr.reviews()), pr.suggested(), len(pr.comments())) == (1, 3, 2)


# SC-5
@pytest.mark.parametrize("rules", [(), ("deletion", "pull_request")], ids=["classic", "ruleset"])
async def test_on_a_protected_branch_the_rollback_is_a_pull_request(world: OpenWorld, rules: tuple[str, ...]) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first = pr.standing()[0]
        before = pr.tree()
        await pr.accepts("maya", first)
        if rules:
            w.repo.rules["topic"] = rules
        else:
            w.repo.protected.add("topic")
        assert await pr.says("maya", f"/heal rollback {first.id}") == snapshot(
            "The branch is protected, so Heal can't commit to it. Merge pull request #2 to revert `a93ebe6b`."
        )
        fixup = w.page(2)
        assert (fixup.pull.base_ref, fixup.tree()) == ("topic", before)
        assert fixup.pull.title == snapshot("revert: write `price` for `pirce` (Heal's fix a93ebe6b)")
        assert fixup.plain(fixup.pull.body or "") == snapshot("""\
`maya` asked to revert the fix below. Merge this pull request to revert it; Heal can't commit to the branch directly.

- `a93ebe6b`: Write `price` for `pirce`\
""")
        assert (len(pr.reviews()), pr.suggested(), len(pr.comments())) == (1, 3, 2)
