"""People accept suggestions on the page, in any order, one by one or together, and take them back."""

# ruff: noqa: E501  (pages have long lines)

from itertools import permutations

import pytest
from inline_snapshot import snapshot

from tests.conversation.small_repo import HEALED, SLIPS, THREE_SLIPS
from tests.world import OpenWorld

ORDERS = list(permutations(range(3)))


# GH-6 IN-3
async def test_accepting_the_first_of_three_leaves_the_other_two_standing_and_nothing_is_said_twice(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first, second, third = pr.offers()
        await pr.accepts("maya", first)
        assert [offer.comment.id for offer in pr.standing()] == [second.comment.id, third.comment.id]
        assert await pr.fixes() == snapshot(
            {
                "Write `price` for `pirce`": "applied",
                "Write `size` for `szie`": "offered",
                "Write `name` for `nmae`": "offered",
            }
        )
        await w.ci()
        await w.heal()
        assert [offer.comment.id for offer in pr.offers()] == [o.comment.id for o in (first, second, third)]
        assert pr.verdict() == snapshot("Heal: neutral, All 2 errors have a tested fix")
        assert pr.summary() == snapshot("""\
**With the fixes below, every check that failed passes.** Commit the suggestions you want, or comment `/heal apply all` on the pull request. `/heal reject <id>` drops a fix.

| Fix | Change | Confidence | Cost | Offered as |
|---|---|---|---|---|
| `883915f4` | Write `size` for `szie` | 75 of 100 | free | suggested change |
| `b61a1aff` | Write `name` for `nmae` | 75 of 100 | free | suggested change |

| Error | Where | Result |
|---|---|---|
| `ruff F821`: Undefined name `szie` | `shop.py:16` | fixed by the rule “misspelt name” |
| `ruff F821`: Undefined name `nmae` | `shop.py:21` | fixed by the rule “misspelt name” |

**Cost:** $0.00, no AI used. Took a while.

<sub>Run `…` · `/heal help` lists the commands</sub>\
""")
        assert pr.comments() == snapshot(
            [
                """\
### Heal: 2 tested fixes to review

- **applied** `a93ebe6b`: Write `price` for `pirce` · free
- **open** `883915f4`: Write `size` for `szie` · free (suggested change)
- **open** `b61a1aff`: Write `name` for `nmae` · free (suggested change)

`/heal apply all` commits the open fixes. `/heal reject <id>` drops one. `/heal rollback <id>` reverts one.

<sub>As of `head2` · details in the check run “Heal” · [latest run](…/runs…) · [settings for this repository](…/repositories…) · `/heal help` lists the commands</sub>\
"""
            ]
        )
        assert len(pr.reviews()) == 1


# GH-6 IN-3
async def test_a_suggestion_whose_lines_moved_follows_them_and_is_verified_there(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        await pr.push({"shop.py": SLIPS.replace('"""\n\n\ndef total', '"""\n\nVAT = 20\n\n\ndef total')})
        await w.heal()
        assert [offer.place for offer in pr.standing()] == ["shop.py:13", "shop.py:18", "shop.py:23"]
        assert [offer.place for offer in pr.offers()] == [offer.place for offer in pr.standing()]
        for offer in pr.standing():
            await pr.accepts("maya", offer)
        assert pr.read("shop.py") == HEALED.replace('"""\n\n\ndef total', '"""\n\nVAT = 20\n\n\ndef total')
        await w.ci()
        await w.heal()
        assert pr.red() == []
        assert len(pr.comments()) == len(pr.reviews()) == 1


# GH-6 IN-3
async def test_a_fix_that_somebody_made_by_hand_counts_as_applied(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        await pr.push({"shop.py": SLIPS.replace("pirce", "price")})
        await w.heal()
        assert set((await pr.fixes()).values()) == {"applied", "offered"}
        assert [offer.place for offer in pr.standing()] == ["shop.py:16", "shop.py:21"]
        assert len(pr.comments()) == len(pr.reviews()) == 1
        assert pr.withdrawn() == snapshot(
            [
                """\
**Applied** in `head2`.

<sub>Fix `a93ebe6b`: Write `price` for `pirce`. `/heal show a93ebe6b` shows it.</sub>"""
            ]
        )


# GH-6 IN-3
async def test_a_fix_whose_lines_were_written_again_is_outdated_and_says_why(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        await pr.push({"shop.py": SLIPS.replace("price - pirce * percent / 100", "pirce * (1 - percent / 100)")})
        await w.heal()
        assert await pr.fixes() == snapshot(
            {
                "Write `price` for `pirce`": "outdated",
                "Write `size` for `szie`": "offered",
                "Write `name` for `nmae`": "offered",
            }
        )
        assert [text.split(":")[0] for text in pr.withdrawn()] == ["**Outdated"]
        await w.ci()
        await w.heal()
        assert await pr.fixes() == snapshot(
            {
                "Write `price` for `pirce`": "offered",
                "Write `size` for `szie`": "offered",
                "Write `name` for `nmae`": "offered",
            }
        )
        assert [(offer.place, offer.text) for offer in pr.standing()] == snapshot(
            [
                ("shop.py:11", "    return price * (1 - percent / 100)"),
                ("shop.py:16", "    return -(-count // size)"),
                ("shop.py:21", '    return f"{name}: {price}"'),
            ]
        )
        assert len(pr.comments()) == 1
        assert pr.reviews()[1:] == snapshot(
            [
                (
                    "Fixes by Heal's rules and this repository's own tools. No AI used. Each was tested on `head2`: commit the ones you want."
                )
            ]
        )


# GH-1 IN-3
@pytest.mark.parametrize("order", [pytest.param(o, marks=() if o[0] > o[2] else pytest.mark.slow) for o in ORDERS])
async def test_suggestions_are_valid_in_every_order_and_all_together_make_ci_green(
    world: OpenWorld, order: tuple[int, ...]
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        offers = pr.offers()
        for index in order:
            await pr.accepts("maya", offers[index])
        assert pr.read("shop.py") == HEALED
        assert set((await pr.fixes()).values()) == {"applied"}
        await w.ci()
        assert pr.red() == []
        await w.heal()
        assert len(pr.comments()) == len(pr.reviews()) == 1


# GH-6
async def test_all_suggestions_in_one_commit_are_noticed_too(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        await pr.accepts("maya", *pr.standing())
        assert pr.read("shop.py") == HEALED
        assert set((await pr.fixes()).values()) == {"applied"}
        await w.ci()
        await w.heal()
        assert pr.red() == []
        assert pr.comments() == snapshot(
            [
                """\
### Heal: all 3 fixes are applied

- **applied** `a93ebe6b`: Write `price` for `pirce` · free
- **applied** `883915f4`: Write `size` for `szie` · free
- **applied** `b61a1aff`: Write `name` for `nmae` · free

`/heal rollback <id>` reverts one.

<sub>As of `head2` · details in the check run “Heal” · [latest run](…/runs…) · [settings for this repository](…/repositories…) · `/heal help` lists the commands</sub>\
"""
            ]
        )
        assert len(pr.reviews()) == 1
