"""What people see of a suggestion that nobody should commit any more, and of a fix across a deleted line."""

# ruff: noqa: E501  (pages have long lines)

from inline_snapshot import snapshot

from lab.localhub import suggestions
from tests.conversation.page import Page
from tests.conversation.small_repo import GREEN, HEALED, ONE_SLIP, SLIPS, THREE_SLIPS
from tests.world import OpenWorld

USES = '''\
"""What a shop reckons."""

import os
import sys
import re


def where():
    """Where the shop runs."""
    return os.name, sys.path, re.ASCII
'''
UNUSED = '''\
"""What a shop reckons."""

import os
import re


def where():
    """Where the shop runs."""
    return ""
'''


def read_the_rest(pr: Page) -> None:
    """What other tests show."""
    assert pr.comments()
    assert pr.reviews()
    pr.offers()


def threads(pr: Page) -> list[str | None]:
    """Who resolved each of Heal's threads, by place."""
    hub = pr.world.hub
    comments = sorted(hub.review_comments_of(pr.pull), key=lambda one: (one.path, one.original_line or 0))
    by = [hub.threads[one.thread_id].resolved_by for one in comments if one.in_reply_to is None]
    return [one.login if one else None for one in by]


# GH-12
async def test_a_rejected_suggestion_says_so_and_has_no_button_any_more(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first = pr.standing()[0]
        assert await pr.says("maya", "/heal reject we call it cost", under=first)
        assert suggestions.why_not(w.hub, first.comment) == "This comment has no suggestion."
        assert pr.withdrawn() == snapshot(
            [
                """\
**Rejected:** we call it cost.

<sub>Fix `a93ebe6b`: Write `price` for `pirce`. `/heal show a93ebe6b` shows it.</sub>\
"""
            ]
        )
        assert threads(pr) == ["heal[bot]", None, None]
        read_the_rest(pr)


# GH-12
async def test_an_applied_insertion_can_not_be_committed_a_second_time(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed({"area.py": "def area(r):\n    return math.pi * r * r\n"})
        (offer,) = pr.standing()
        assert await pr.says("maya", f"/heal apply {offer.id}")
        assert pr.standing() == []
        assert pr.withdrawn() == snapshot(
            [
                """\
**Applied** in `head2`.

<sub>Fix `d9fbed8a`: Import `math`. `/heal show d9fbed8a` shows it.</sub>\
"""
            ]
        )
        assert threads(pr) == ["heal[bot]"]
        assert await pr.says("maya", f"/heal rollback {offer.id}")
        assert pr.withdrawn() == snapshot(
            [
                """\
**Reverted** in `head3`.

<sub>Fix `d9fbed8a`: Import `math`. `/heal show d9fbed8a` shows it.</sub>\
"""
            ]
        )
        read_the_rest(pr)


# GH-12
async def test_a_suggestion_that_a_push_outdated_is_taken_off_the_page_and_offered_again_by_the_next_run(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.healed(ONE_SLIP)
        await pr.push({"shop.py": SLIPS.replace("price - pirce * percent / 100", "pirce * (1 - percent / 100)")})
        await w.heal()
        assert pr.standing() == []
        assert pr.withdrawn() == snapshot(
            [
                """\
**Outdated:** line 11 of `shop.py` has changed from `return price - pirce * percent / 100` to `return pirce * (1 - percent / 100)`.

<sub>Fix `a93ebe6b`: Write `price` for `pirce`. `/heal show a93ebe6b` shows it.</sub>\
"""
            ]
        )
        await w.ci()
        await w.heal()
        assert len(pr.standing()) == 3
        assert len(pr.withdrawn()) == 1
        read_the_rest(pr)


# GH-12 GH-6
async def test_a_suggestion_that_was_committed_on_the_page_stays_as_github_shows_it(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(ONE_SLIP)
        (offer,) = pr.standing()
        body = offer.comment.body
        await pr.accepts("maya", offer)
        await w.ci()
        await w.heal()
        assert (pr.withdrawn(), offer.comment.body) == ([], body)
        assert threads(pr) == ["maya"]
        assert pr.read("shop.py") == HEALED
        read_the_rest(pr)


# GH-12
async def test_where_heal_may_not_resolve_threads_the_comment_is_edited_all_the_same(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(ONE_SLIP)
        w.installation.permissions["contents"] = "read"
        assert await pr.says("maya", "/heal reject all")
        assert (len(pr.withdrawn()), pr.standing(), threads(pr)) == (1, [], [None])
        read_the_rest(pr)


# GH-12 GH-1
async def test_a_fix_across_a_deleted_line_is_offered_in_parts_that_githubs_page_commits(world: OpenWorld) -> None:
    async with world({**GREEN, "shop.py": USES, "test_shop.py": "def test_nothing():\n    pass\n"}) as w:
        pr = await w.healed({"shop.py": UNUSED})
        assert [(offer.place, offer.text) for offer in pr.standing()] == snapshot(
            [("shop.py:3", ""), ("shop.py:4", "")]
        )
        await pr.accepts("maya", *pr.standing())
        assert pr.read("shop.py") == UNUSED.replace("import os\nimport re\n", "")
        await w.ci()
        await w.heal()
        assert pr.red() == []
        read_the_rest(pr)
