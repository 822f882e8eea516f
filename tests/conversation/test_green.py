"""When nothing is left: the green head says so, once, and only where Heal had something to do with it."""

# ruff: noqa: E501  (pages have long lines)

from inline_snapshot import snapshot

from lab.localhub import checks
from tests.conversation.small_repo import CI, GREEN, HEALED, SLIPS, THREE_SLIPS
from tests.world import OpenWorld


# GH-3 GH-6
async def test_when_all_fixes_are_accepted_and_ci_is_green_the_new_head_says_that_nothing_is_left(
    world: OpenWorld,
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first, *others = pr.standing()
        await pr.accepts("maya", first)
        await w.ci()
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, All 2 errors have a tested fix")
        await pr.accepts("maya", *others)
        assert pr.verdict() == snapshot("none")
        await w.ci()
        await w.heal()
        assert pr.red() == []
        assert pr.verdict() == snapshot("Heal: success, All checks pass")
        assert pr.summary() == snapshot("""\
All checks pass. These fixes from Heal are on the branch:

| Fix | Change | Made by | Commit |
|---|---|---|---|
| `a93ebe6b` | Write `price` for `pirce` | the rule “misspelt name” | `head2` |
| `883915f4` | Write `size` for `szie` | the rule “misspelt name” | `head3` |
| `b61a1aff` | Write `name` for `nmae` | the rule “misspelt name” | `head3` |

`/heal rollback <id>` reverts one.\
""")
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (1, 1, 3)


# GH-3
async def test_a_pull_request_that_its_author_fixed_by_hand_is_reported_too(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed({"shop.py": SLIPS})
        await pr.push({"shop.py": HEALED.replace("price - price * percent / 100", "price * (1 - percent / 100)")})
        await w.ci()
        await w.heal()
        assert pr.verdict() == snapshot("Heal: success, All checks pass")
        assert pr.summary() == snapshot("""\
All checks pass. These fixes from Heal are on the branch:

| Fix | Change | Made by | Commit |
|---|---|---|---|
| `883915f4` | Write `size` for `szie` | the rule “misspelt name” | `head2` |
| `b61a1aff` | Write `name` for `nmae` | the rule “misspelt name” | `head2` |

`/heal rollback <id>` reverts one.\
""")
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (1, 1, 3)


# GH-3 GH-4
async def test_a_pull_request_that_was_never_red_gets_no_comment(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed({"shop.py": HEALED})
        assert pr.red() == []
        assert pr.verdict() == "none"
        assert pr.comments() == pr.reviews() == []


# GH-3
async def test_another_check_that_is_still_running_or_red_is_waited_for(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        await pr.accepts("maya", *pr.standing())
        checks.set_status(w.hub, w.repo, w.hub.person("maya"), pr.head, "pending", "deploy", None, None)
        await w.ci()
        await w.heal()
        assert pr.verdict() == "none"
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (1, 1, 3)


# GH-3 IN-1
async def test_a_ci_that_speaks_by_commit_statuses_alone_is_received_when_all_of_them_passed(world: OpenWorld) -> None:
    quiet = {**GREEN, ".github/workflows/ci.yml": CI.replace("on: [pull_request]", "on: [workflow_dispatch]")}
    async with world({**quiet, ".github/heal.yml": "checks: ['ruff check .']\n"}) as w:
        pr = await w.pull(THREE_SLIPS)
        robot = w.hub.person("circle")
        checks.set_status(w.hub, w.repo, robot, pr.head, "failure", "ci/lint", "1 failed", None)
        await w.heal()
        assert pr.verdict() == snapshot("Heal: neutral, All 3 errors have a tested fix")
        await pr.accepts("maya", *pr.standing())
        checks.set_status(w.hub, w.repo, robot, pr.head, "pending", "ci/lint")
        checks.set_status(w.hub, w.repo, robot, pr.head, "success", "ci/docs")
        await w.heal()
        assert pr.verdict() == "none"
        checks.set_status(w.hub, w.repo, robot, pr.head, "success", "ci/lint")
        await w.heal()
        assert pr.verdict() == snapshot("Heal: success, All checks pass")
        checks.set_status(w.hub, w.repo, robot, pr.head, "success", "ci/late")
        await w.heal()
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (1, 1, 3)


# GH-6
async def test_new_errors_in_the_lines_of_an_accepted_fix_are_told_once_with_the_way_back(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first = pr.standing()[0]
        # Noor takes the suggestion over by hand, and renames the parameter in the same push.
        renamed = SLIPS.replace("pirce", "price").replace("def discounted(price,", "def discounted(cost,")
        await pr.push({"shop.py": renamed})
        await w.heal()
        assert (await pr.fixes())["Write `price` for `pirce`"] == "applied"
        await w.ci()
        await w.heal()
        (reported,) = [text for text in pr.comments() if text.startswith("**CI fails after fix")]
        assert reported == snapshot("""\
**CI fails after fix `a93ebe6b`** (Write `price` for `pirce`). Commit `head2` has 2 errors that were not there before the fix:

- `ruff F821`: Undefined name `price` at `shop.py:11`
- `ruff F821`: Undefined name `price` at `shop.py:11`

`/heal rollback a93ebe6b` reverts the fix.\
""")
        assert reported in pr.summary()
        await pr.push({"shop.py": renamed + "\n# Later.\n"})
        await w.ci()
        await w.heal()
        assert len([text for text in pr.comments() if "that were not there before the fix" in text]) == 1
        assert first.id[:8] in reported
        assert pr.reviews()
        assert pr.offers()
        assert pr.withdrawn()
