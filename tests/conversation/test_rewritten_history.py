"""People rewrite the branch: squash, rebase, push by force, revert. What is on it is what counts."""

# ruff: noqa: E501  (pages have long lines)

import pytest
from inline_snapshot import snapshot

from lab.localhub import pushes, repos
from tests.conversation.page import Page
from tests.conversation.small_repo import CI, GREEN, SLIPS, THREE_SLIPS
from tests.world import OpenWorld, World


async def force(w: World, pr: Page, onto: str, files: dict[str, str], message: str) -> None:
    """Noor pushes a branch by force that has one commit on top of another one."""
    noor = w.hub.person("noor")
    data = {name: text.encode() for name, text in files.items()}
    made = repos.commit_object(w.hub, w.repo, [onto], data, message, noor, repos.committer(w.hub))
    pushes.move_branch(w.hub, w.repo, pr.pull.head_ref, made, noor)
    await w.heal()


def counts(pr: Page) -> tuple[int, int, int]:
    return len(pr.comments()), len(pr.reviews()), pr.suggested()


# GH-6 IN-3
async def test_a_squash_keeps_what_was_accepted_and_what_is_offered(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        base = pr.pull.base_sha
        first, second, _ = pr.standing()
        await pr.accepts("maya", first, second)
        await force(w, pr, base, {"shop.py": pr.read("shop.py")}, "Everything at once")
        assert sorted((await pr.fixes()).values()) == ["applied", "applied", "offered"]
        assert [offer.place for offer in pr.standing()] == ["shop.py:21"]
        assert counts(pr) == (1, 1, 3)
        assert "Reverted" in (await pr.says("maya", f"/heal rollback {first.id}") or "")
        assert "pirce" in pr.read("shop.py")
        assert counts(pr) == (2, 1, 3)


# GH-6 IN-3
async def test_a_rebase_onto_a_newer_base_carries_everything_along(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        await pr.accepts("maya", pr.standing()[0])
        newer = await w.commit_to_main({"readme.md": "A shop.\n"})
        await force(w, pr, newer, {"shop.py": pr.read("shop.py")}, "Rebased")
        assert sorted((await pr.fixes()).values()) == ["applied", "offered", "offered"]
        assert [offer.place for offer in pr.standing()] == ["shop.py:16", "shop.py:21"]
        await pr.accepts("maya", *pr.standing())
        await w.ci()
        await w.heal()
        assert pr.red() == []
        assert counts(pr) == (1, 1, 3)


# GH-6
async def test_a_push_by_force_that_loses_an_accepted_fix_gets_it_offered_again_when_ci_is_red(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first = pr.standing()[0]
        await pr.accepts("maya", first)
        await force(w, pr, pr.pull.base_sha, {"shop.py": SLIPS + "\n# Started anew.\n"}, "Start anew")
        assert sorted((await pr.fixes()).values()) == ["offered", "offered", "outdated"]
        assert pr.withdrawn() == snapshot(
            [
                """\
**Outdated:** a force-push removed it.

<sub>Fix `a93ebe6b`: Write `price` for `pirce`. `/heal show a93ebe6b` shows it.</sub>"""
            ]
        )
        await w.ci()
        await w.heal()
        assert set((await pr.fixes()).values()) == {"offered"}
        assert "shop.py:11" in {offer.place for offer in pr.standing()}
        assert pr.comments() == snapshot(
            [
                """\
### Heal: 3 tested fixes to review

- **open** `a93ebe6b`: Write `price` for `pirce` · free (suggested change)
- **open** `883915f4`: Write `size` for `szie` · free (suggested change)
- **open** `b61a1aff`: Write `name` for `nmae` · free (suggested change)

`/heal apply all` commits the open fixes. `/heal reject <id>` drops one.

<sub>As of `head2` · details in the check run “Heal” · [latest run](…/runs…) · [settings for this repository](…/repositories…) · `/heal help` lists the commands</sub>\
"""
            ]
        )
        assert pr.reviews()[-1] == snapshot(
            "Fixes by Heal's rules and this repository's own tools. No AI used. Each was tested on `head2`: commit the ones you want."
        )


# GH-6
async def test_a_revert_by_a_person_is_respected_until_somebody_asks(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        before = pr.read("shop.py")
        await pr.accepts("maya", pr.standing()[0])
        await pr.push({"shop.py": before}, message='Revert "Update shop.py"')
        await w.heal()
        assert sorted((await pr.fixes()).values()) == ["offered", "offered", "rolled-back"]
        await w.ci()
        await w.heal()
        assert sorted((await pr.fixes()).values()) == ["offered", "offered", "rolled-back"]
        assert pr.summary() == snapshot("""\
**With the fixes below, every check that failed passes.** Commit the suggestions you want, or comment `/heal apply all` on the pull request. `/heal reject <id>` drops a fix.

| Fix | Change | Confidence | Cost | Offered as |
|---|---|---|---|---|
| `883915f4` | Write `size` for `szie` | 75 of 100 | free | suggested change |
| `b61a1aff` | Write `name` for `nmae` | 75 of 100 | free | suggested change |
| `a93ebe6b` | Write `price` for `pirce` | 75 of 100 | free | reverted: a later commit reverted it |

| Error | Where | Result |
|---|---|---|
| `ruff F821`: Undefined name `pirce` | `shop.py:11` | fixed by the rule “misspelt name” |
| `ruff F821`: Undefined name `szie` | `shop.py:16` | fixed by the rule “misspelt name” |
| `ruff F821`: Undefined name `nmae` | `shop.py:21` | fixed by the rule “misspelt name” |

**Cost:** $0.00, no AI used. Took a while.

<sub>Run `…` · `/heal help` lists the commands</sub>\
""")
        assert counts(pr) == (1, 1, 3)
        assert await pr.says("maya", "/heal list") == snapshot("""\
3 fixes:

- **reverted** `a93ebe6b` Write `price` for `pirce`: a later commit reverted it
- **open** `883915f4` Write `size` for `szie` (suggested change)
- **open** `b61a1aff` Write `name` for `nmae` (suggested change)

`/heal show <id>` shows one with its proof.""")


PUSHED = {**GREEN, ".github/workflows/ci.yml": CI.replace("[pull_request]", "[push]")}


# IN-5 GH-5
@pytest.mark.parametrize("forced", [False, True], ids=["built upon", "taken off by force"])
async def test_a_red_commit_of_the_default_branch_is_healed_only_while_the_branch_holds_it(
    world: OpenWorld, forced: bool
) -> None:
    async with world(PUSHED) as w:
        before = w.hub.bare(w.repo).branch("main")
        await w.commit_to_main(THREE_SLIPS)
        await w.ci()
        if forced:
            pushes.move_branch(w.hub, w.repo, "main", before, w.hub.person("maya"))
        else:
            await w.commit_to_main({"readme.md": "A shop."})
        await w.heal()
        opened = [(pull.author.login, pull.base_ref) for pull in w.hub.pulls_of(w.repo)]
        assert opened == ([] if forced else [("heal[bot]", "main")])
        for pull in w.hub.pulls_of(w.repo):
            assert w.page(pull.number).reviews() == []
