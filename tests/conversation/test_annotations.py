"""What people see beside the lines of a red pull request."""

from inline_snapshot import snapshot

from tests.conversation.small_repo import GREEN, THREE_SLIPS
from tests.world import OpenWorld


# GH-3 IN-8 CK-7
async def test_each_error_is_shown_at_its_line_of_the_head_though_ci_built_the_merge(world: OpenWorld) -> None:
    async with world(GREEN, start="observe") as w:
        pr = await w.pull(THREE_SLIPS)
        await w.commit_to_main({"shop.py": "# Main has a line more.\n" + GREEN["shop.py"]})
        await w.ci()
        await w.heal()
        assert pr.annotations() == snapshot(
            [
                """\
shop.py:11 failure: ruff F821: Undefined name `pirce`
Heal has a tested fix: `/heal show a93ebe6b`.""",
                """\
shop.py:16 failure: ruff F821: Undefined name `szie`
Heal has a tested fix: `/heal show 883915f4`.""",
                """\
shop.py:21 failure: ruff F821: Undefined name `nmae`
Heal has a tested fix: `/heal show b61a1aff`.""",
            ]
        )
        assert not pr.offers()


# GH-3 IN-3
async def test_running_again_shows_nothing_twice(world: OpenWorld) -> None:
    async with world(GREEN, start="observe") as w:
        pr = await w.healed(THREE_SLIPS)
        seen = pr.annotations()
        assert len(seen) == 3
        assert await pr.says("maya", "/heal dry-run")
        assert len(await pr.runs()) == 2
        assert pr.annotations() == seen
        assert pr.comments()


# GH-3
async def test_an_error_with_a_suggested_change_has_no_annotation_beside_it_also_once_that_is_rejected(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        assert len(pr.offers()) == 3
        assert pr.annotations() == []
        assert await pr.says("maya", "/heal reject", under=pr.offers()[0])
        assert await pr.says("maya", "/heal retry")
        assert pr.annotations() == []
        assert pr.comments()
        assert pr.reviews()
        assert pr.withdrawn()
