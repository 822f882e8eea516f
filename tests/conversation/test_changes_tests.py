"""A fix that changes tests says so first, and nobody applies it without naming it."""

# ruff: noqa: E501  (pages have long lines)

from inline_snapshot import snapshot

from tests.conversation.small_repo import TEST
from tests.world import OpenWorld

NO_COLON = {"test_shop.py": TEST.replace("def test_total():", "def test_total()")}


# JD-2
async def test_a_fix_that_changes_tests_says_so_first_and_is_no_part_of_apply_all(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(NO_COLON)
        (offer,) = pr.standing()
        first, _, look, *_ = pr.texts_of(offer).split("\n\n")
        assert (first, look) == snapshot(
            (
                "**Mend the syntax of test\\_shop.py (changes the tests)**",
                "Needs a closer look: `changes the tests: test_shop.py, because pytest found fault with it`; `test_shop.py: a test changes, since CI found fault with it (pytest SyntaxError)`",
            )
        )
        assert await pr.says("maya", "/heal apply all") == snapshot(
            "- `22333211` was skipped because it changes the tests: `/heal apply 22333211` commits it."
        )
        assert set((await pr.fixes()).values()) == {"offered"}
        assert await pr.says("maya", f"/heal apply {offer.id[:8]}") == snapshot("""\
- `22333211` was tested again and committed as `head2`.

`/heal rollback <id>` reverts one.\
""")
        await w.ci()
        await w.heal()
        assert pr.red() == []
        assert [pr.comments(), pr.reviews(), pr.withdrawn()]
