"""After a fix is applied or reverted somebody looks whether CI started on that commit."""

from bot.maintenance.loop import Maintenance
from bot.maintenance.retention import Retention
from tests.conversation.page import Page
from tests.conversation.small_repo import THREE_SLIPS
from tests.world import OpenWorld, World


async def five_minutes_later(w: World) -> None:
    w.clock.at += 301
    await Maintenance(w.machine, Retention(30)).once()
    await w.heal()


def comments_about_ci(pr: Page) -> list[str]:
    return [text for text in pr.comments() if "No CI started" in text]


# GH-13
async def test_where_no_ci_starts_after_apply_one_comment_says_so(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        assert "committed as" in (await pr.says("maya", "/heal apply all") or "")
        await w.heal()
        await five_minutes_later(w)
        (comment,) = comments_about_ci(pr)
        assert pr.plain(f"`{pr.head[:12]}`") in comment
        before = len(w.github.log)
        await five_minutes_later(w)
        assert len(w.github.log) == before, "nobody looks again"
        assert pr.withdrawn()
        assert pr.reviews()


# GH-13
async def test_where_ci_starts_on_an_accepted_suggestion_nothing_is_reported(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        await pr.accepts("maya", pr.offers()[0])
        await w.heal()
        await w.ci()
        await five_minutes_later(w)
        assert not comments_about_ci(pr)
        assert pr.reviews()


# GH-13
async def test_where_no_ci_starts_after_an_accepted_suggestion_or_its_rollback_the_comment_names_the_newest_commit(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        offer = pr.offers()[0]
        await pr.accepts("maya", offer)
        await w.heal()
        assert "Reverted" in (await pr.says("maya", f"/heal rollback {offer.id}") or "")
        await w.heal()
        await five_minutes_later(w)
        (comment,) = comments_about_ci(pr)
        assert pr.plain(f"`{pr.head[:12]}`") in comment
        assert pr.withdrawn()
        assert pr.reviews()


# GH-13
async def test_where_somebody_pushed_since_the_older_commit_needs_no_ci(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        await pr.accepts("maya", pr.offers()[0])
        await w.heal()
        await pr.push({"notes.txt": "Nothing.\n"})
        await w.heal()
        await five_minutes_later(w)
        assert not comments_about_ci(pr)
        assert pr.reviews()
