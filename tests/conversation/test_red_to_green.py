"""From a red pull request to accepted suggestions."""

# ruff: noqa: E501  (pages have long lines)

from inline_snapshot import snapshot

from tests.conversation.small_repo import THREE_SLIPS
from tests.world import OpenWorld


# GH-1 GH-2 GH-3 GH-4 CK-7
async def test_a_red_pull_request_becomes_suggestions_one_check_run_and_one_summary(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull(THREE_SLIPS)
        await w.ci()
        assert pr.red() == ["checks"]
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, All 3 errors have a tested fix")
        assert pr.reviews() == snapshot(
            [
                (
                    "Fixes by Heal's rules and this repository's own tools. No AI used. Each was tested on `head1`: commit the ones you want."
                )
            ]
        )
        assert [(offer.place, offer.text) for offer in pr.standing()] == snapshot(
            [
                ("shop.py:11", "    return price - price * percent / 100"),
                ("shop.py:16", "    return -(-count // size)"),
                ("shop.py:21", '    return f"{name}: {price}"'),
            ]
        )
        assert pr.comments() == snapshot(
            [
                """\
### Heal: 3 tested fixes to review

- **open** `a93ebe6b`: Write `price` for `pirce` · free (suggested change)
- **open** `883915f4`: Write `size` for `szie` · free (suggested change)
- **open** `b61a1aff`: Write `name` for `nmae` · free (suggested change)

`/heal apply all` commits the open fixes. `/heal reject <id>` drops one.

<sub>As of `head1` · details in the check run “Heal” · [latest run](…/runs…) · [settings for this repository](…/repositories…) · `/heal help` lists the commands</sub>\
"""
            ]
        )
