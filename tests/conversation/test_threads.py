"""People resolve the thread of a suggestion without committing it: the fix is put aside until they open it again."""

from inline_snapshot import snapshot

from lab.localhub import reviews
from tests.conversation.page import Offer, Page
from tests.conversation.small_repo import SLIPS, THREE_SLIPS
from tests.world import OpenWorld, World


async def resolves(w: World, offer: Offer, resolved: bool = True, who: str = "maya") -> None:
    """Somebody presses "Resolve conversation" (or "Unresolve"), and Heal hears of it."""
    thread = w.hub.threads[offer.comment.thread_id]
    reviews.set_resolved(w.hub, w.hub.person(who), thread, resolved)
    await w.heal()


def listed(pr: Page) -> list[str]:
    """How each fix stands in the summary comment."""
    return [line.split(":")[0] for line in pr.comments()[0].splitlines() if line.startswith("- **")]


# GH-6 GH-4
async def test_a_resolved_suggestion_is_not_raised_again_by_a_push_a_new_failure_or_apply_all(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first, *_ = pr.standing()
        await resolves(w, first)
        assert listed(pr) == snapshot(["- **dismissed** `a93ebe6b`", "- **open** `883915f4`", "- **open** `b61a1aff`"])
        assert sorted((await pr.fixes()).values()) == ["offered", "offered", "resolved"]
        await pr.push({"notes.txt": "More.\n"})
        await w.ci()
        await w.heal()
        assert (pr.suggested(), len(pr.reviews())) == (3, 1), "CI failed again, with the same three errors"
        assert "dismissed: maya resolved the conversation without committing" in pr.summary()
        assert "committed as" in (await pr.says("maya", "/heal apply all") or "")
        assert pr.read("shop.py") == SLIPS.replace("szie", "size").replace("nmae", "name")
        assert (await pr.fixes())["Write `price` for `pirce`"] == "resolved"
        assert len(pr.withdrawn()) == 2
        assert len(pr.comments()) == 2


# GH-6
async def test_an_unresolved_suggestion_is_offered_as_before_also_on_a_head_that_took_its_lines(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first, *_ = pr.standing()
        await resolves(w, first)
        await resolves(w, first, resolved=False)
        assert (len(pr.standing()), pr.suggested()) == (3, 3)
        await resolves(w, first, who="noor")
        longer = SLIPS.replace("return price - pirce", "return price  - pirce")
        await pr.push({"shop.py": longer})
        await w.heal()
        assert first.place == "outdated"
        await resolves(w, first, resolved=False)
        assert set((await pr.fixes()).values()) == snapshot({"offered", "outdated"})
        assert (len(pr.comments()), len(pr.reviews())) == snapshot((1, 1))
        pr.withdrawn()


# GH-6
async def test_github_resolves_the_thread_of_a_committed_suggestion_and_that_puts_nothing_aside(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        await pr.accepts("maya", pr.standing()[0])
        assert sorted((await pr.fixes()).values()) == ["applied", "offered", "offered"]
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)
