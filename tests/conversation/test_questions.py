"""Anyone may ask, but nobody can make Heal flood a page."""

import re

from inline_snapshot import snapshot

from tests.conversation.small_repo import THREE_SLIPS
from tests.world import OpenWorld


# SC-3
async def test_ten_questions_an_hour_are_answered_the_eleventh_says_when_to_come_again_and_then_silence(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        words = ("list", "show", "status", "unfixable", "help", "lst", "apply all", "list", "list", "list")
        for word in words:
            assert "Heal answers 10 questions" not in (await pr.says("sam", f"/heal {word}") or "")
        reported = await pr.says("sam", "/heal list") or ""
        assert re.sub(r"\d\d:\d\d", "HH:MM", reported) == snapshot(
            "You have reached the limit of 10 commands an hour. Heal will answer again after HH:MM UTC. "
            "Until then, the check run “Heal” has all results."
        )
        assert await pr.is_ignored("sam", "/heal list")
        assert await pr.is_ignored("sam", "/heal reject all")
        assert "3 fixes" in (await pr.says("noor", "/heal list") or "")  # everybody has his own hour
        assert set((await pr.fixes()).values()) == {"offered"}
        assert pr.comments()
        assert (len(pr.reviews()), pr.suggested()) == (1, 3)


# SC-3
async def test_who_may_write_gets_an_answer_to_every_question_and_every_slip(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        for _ in range(11):
            assert "Fixes: 3 open" in (await pr.says("maya", "/heal status") or "")
        assert "`/heal apply`" in (await pr.says("maya", "/heal aply") or "")
        assert "committed as" in (await pr.says("maya", "/heal apply all") or "")
        assert (len(pr.reviews()), pr.suggested()) == (1, 3)
        assert pr.comments()
