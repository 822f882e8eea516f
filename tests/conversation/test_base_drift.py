"""A branch that is fine by itself is red on the merge that CI builds, because of what its base has become."""

# ruff: noqa: E501  (pages have long lines)

from inline_snapshot import snapshot

from tests.conversation.small_repo import GREEN, SHOP
from tests.world import OpenWorld

UNTOLD = SHOP + "\n\ndef free():\n    return 0\n"
TOLD = """\
import inspect

import shop


def test_everything_is_reported():
    assert all(one.__doc__ for _, one in inspect.getmembers(shop, inspect.isfunction))
"""


# IN-8
async def test_what_only_the_merge_with_the_base_shows_is_answered_with_update_the_branch(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed({"shop.py": UNTOLD})
        assert (pr.red(), pr.verdict()) == ([], "none")
        await w.commit_to_main({"test_told.py": TOLD})
        await pr.push({"notes.txt": "Go on.\n"})
        await w.ci()
        assert pr.red() == ["checks"]
        await w.heal()
        reported = [part for part in pr.summary().split("\n\n") if part.startswith("**Appears only when merged:**")]
        assert reported == snapshot(
            [
                (
                    "**Appears only when merged:** CI tests this branch merged with the base branch, and this error doesn't appear on this branch alone. *What you can do:* Update this branch (merge or rebase), then fix it here."
                )
            ]
        )
        assert (pr.comments(), pr.reviews()) == ([], [])
        await pr.push(GREEN | {"shop.py": UNTOLD, "test_told.py": TOLD})
        await w.ci()
        await w.heal()
        assert "Appears only when merged:" not in pr.summary(), "its own branch shows it now"
