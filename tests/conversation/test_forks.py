"""A stranger's fork: nothing of it runs unasked, and nothing is ever pushed to it."""

# ruff: noqa: E501  (pages have long lines)

import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.conversation.page import Page
from tests.conversation.small_repo import SLIPS, THREE_SLIPS
from tests.world import OWNER, OpenWorld


def holds(store: Path, sha: str) -> bool:
    """Whether a bare repository has a commit."""
    return subprocess.run(["git", "cat-file", "-e", sha], cwd=store, check=False, capture_output=True).returncode == 0


# IN-5 GH-10 SC-3
async def test_a_forks_pull_request_is_healed_only_when_a_maintainer_asks(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull_from_fork(THREE_SLIPS)
        await w.ci()
        await w.heal()
        assert pr.summary() == snapshot(
            "Skipped: this pull request comes from a fork, and Heal runs a fork's code only after somebody with write access comments `/heal`."
        )
        (store,) = (w.folder / "heal" / "repos").glob("*.git")
        assert not holds(store, pr.head), "nothing of it was even fetched"
        assert "needs write access" in (await pr.says("fiona", "/heal") or "")
        assert await pr.says("maya", "/heal") == snapshot(
            "Started a run on `head1`. The check run “Heal” shows its progress."
        )
        assert pr.verdict() == snapshot("Heal: neutral, All 3 errors have a tested fix")
        assert pr.summary() == snapshot("""\
**With the fixes below, every check that failed passes.** Commit the suggestions you want. `/heal reject <id>` drops a fix.

| Fix | Change | Confidence | Cost | Offered as |
|---|---|---|---|---|
| `a93ebe6b` | Write `price` for `pirce` | 75 of 100 | free | suggested change |
| `883915f4` | Write `size` for `szie` | 75 of 100 | free | suggested change |
| `b61a1aff` | Write `name` for `nmae` | 75 of 100 | free | suggested change |

| Error | Where | Result |
|---|---|---|
| `ruff F821`: Undefined name `pirce` | `shop.py:11` | fixed by the rule “misspelt name” |
| `ruff F821`: Undefined name `szie` | `shop.py:16` | fixed by the rule “misspelt name” |
| `ruff F821`: Undefined name `nmae` | `shop.py:21` | fixed by the rule “misspelt name” |

**Cost:** $0.00, no AI used. Took a while.

<sub>Run `…` · `/heal help` lists the commands</sub>\
""")
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (3, 1, 3)


# IN-5 SC-4 SC-5
async def test_a_forks_fixes_are_suggestions_and_patches_and_nothing_is_ever_pushed_to_it(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull_from_fork(THREE_SLIPS)
        fork = w.hub.repos[pr.pull.head_repo_id or 0]
        await w.ci()
        await w.heal()
        await pr.says("maya", "/heal")
        head = pr.head
        assert [(offer.place, offer.text) for offer in pr.standing()] == snapshot(
            [
                ("shop.py:11", "    return price - price * percent / 100"),
                ("shop.py:16", "    return -(-count // size)"),
                ("shop.py:21", '    return f"{name}: {price}"'),
            ]
        )
        first = pr.standing()[0]
        assert await pr.says("maya", "/heal apply", under=first) == snapshot("""\
Nothing was changed: this pull request comes from a fork, and Heal never pushes to forks. Commit the suggested change on this pull request, or apply the patch:

▸ Patch of fix a93ebe6b\
""")
        assert w.hub.bare(fork).branch("topic") == head
        await pr.accepts("fiona", first)
        assert await pr.fixes() == snapshot(
            {
                "Write `price` for `pirce`": "applied",
                "Write `size` for `szie`": "outdated",
                "Write `name` for `nmae`": "outdated",
            }
        )
        assert await pr.says("maya", "/heal rollback", under=first) == snapshot(
            "`a93ebe6b` was not reverted: this pull request comes from a fork, and Heal never pushes to "
            "forks. Use `git revert` on your branch."
        )
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (2, 1, 3)
        assert all(not seen.path.startswith(f"/api/v3/repos/{fork.full_name}/") for seen in w.github.log)


# IN-5
async def test_what_a_fork_pushes_later_does_not_run_unasked(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull_from_fork(THREE_SLIPS)
        await w.ci()
        await w.heal()
        await pr.says("maya", "/heal")
        ran = len(list((w.folder / "heal" / "bases").glob("*/files")))
        await pr.push({"shop.py": "import os\n" + SLIPS}, by="fiona")
        await w.heal()
        await w.ci()
        await w.heal()
        assert len(list((w.folder / "heal" / "bases").glob("*/files"))) == ran
        assert await pr.fixes() == snapshot(
            {
                "Write `price` for `pirce`": "outdated",
                "Write `size` for `szie`": "outdated",
                "Write `name` for `nmae`": "outdated",
            }
        )
        assert pr.summary() == snapshot(
            "Skipped: this pull request comes from a fork, and Heal runs a fork's code only after somebody with write access comments `/heal`."
        )
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (2, 1, 3)


async def closed(pr: Page) -> None:
    await pr.close("fiona")


async def pushed_to(pr: Page) -> None:
    await pr.push({"shop.py": "# Later.\n" + SLIPS}, by="fiona")


async def left_open(_: Page) -> None:
    """Nothing happens to it."""


# IN-5 IN-1
@pytest.mark.parametrize("meanwhile", [left_open, closed, pushed_to])
@pytest.mark.parametrize("owner", ["fiona", OWNER], ids=["a strangers fork", "a fork in the same organisation"])
async def test_a_forks_branch_that_is_called_main_is_never_taken_for_the_default_branch(
    world: OpenWorld, owner: str, meanwhile: Callable[[Page], Awaitable[None]]
) -> None:
    async with world() as w:
        pr = await w.pull_from_fork(THREE_SLIPS, branch="main", owner=owner, name="shop-too")
        strangers = pr.head
        await w.ci()
        assert pr.red() == ["checks"]
        await meanwhile(pr)
        await w.heal()
        assert [pull.number for pull in w.hub.pulls_of(w.repo)] == [pr.number], "no pull request was opened"
        assert set(w.hub.bare(w.repo).refs("refs/heads/")) == {"refs/heads/main"}
        assert pr.verdict(strangers) in ("none", "Heal: neutral, Nothing done")
        for store in (w.folder / "heal" / "repos").glob("*.git"):
            assert not holds(store, strangers), "nothing of it was even fetched"
        w.runner.held.clear()
