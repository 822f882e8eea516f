"""The base branch is broken, and nobody noticed: pull requests show it, one pull request mends it."""

from inline_snapshot import snapshot

from tests.conversation.small_repo import GREEN, HEALED
from tests.world import OpenWorld

BROKEN = {**GREEN, "old.py": "def half(n):\n    return math.floor(n / 2)\n"}


# IN-6
async def test_what_the_base_branch_has_too_is_offered_once_there_and_on_no_pull_request(world: OpenWorld) -> None:
    async with world(BROKEN) as w:
        one = await w.healed({"shop.py": HEALED})
        assert one.red() == ["checks"]
        assert (one.verdict(), one.comments(), one.reviews()) == snapshot(
            ("Heal: neutral, The base branch has this error too", [], [])
        )
        assert one.summary().split("\n\n")[:2] == snapshot(
            [
                "**Fix it on the base branch, then update this one.**",
                "Heal is also looking for a fix on `main`, and will open a pull request there if it finds one.",
            ]
        )
        fixup = w.page(2)
        assert fixup.pull.base_ref == "main"
        assert fixup.read("old.py") == snapshot("""\
import math


def half(n):
    return math.floor(n / 2)
""")
        other = await w.healed({"notes.txt": "x\n"}, branch="other")
        assert other.verdict() == snapshot("Heal: neutral, The base branch has this error too")
        assert [pull.number for pull in w.hub.pulls_of(w.repo)] == [1, 2, 3], "one fixup, however many tell of it"
        assert w.page(2).verdict() == snapshot("none")
