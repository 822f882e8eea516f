"""The repository's policy in `.github/heal.yml`: what no fix touches, what is only reported, how large a fix may be."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from tests.conversation.renaming import RENAMED, WITH_REPORT
from tests.conversation.small_repo import CI, GREEN, ONE_SLIP, SETTINGS, SHOP, SLIPS
from tests.conversation.test_models import WRONG
from tests.model_standin import server
from tests.model_standin.brains import oracle
from tests.world import OpenWorld, World

CONFIG = ".github/heal.yml"
UNUSED = {"shop.py": SHOP.replace("\n\n\n", "\n\nimport os\n\n\n", 1)}
SLIP_ELSEWHERE = {"box.py": "def boxes(count, size):\n    return -(-count // szie)\n"}
FIX = {"shop.py": ("return max(prices)", "return sum(prices)")}


def policy(text: str) -> dict[str, str]:
    """The small repository with this policy on its default branch."""
    return {**GREEN, CONFIG: text}


@asynccontextmanager
async def asking(
    world: OpenWorld, text: str, brain: server.Brain, **settings: Any
) -> AsyncIterator[tuple[World, server.Standin]]:
    """A world with this policy, whose Heal has a key for a stand-in with that brain."""
    async with server.serve(brain) as standin:
        settings |= {"anthropic_api_key": SecretStr(standin.key), "anthropic_base_url": standin.url}
        async with world(policy(text), **settings) as w:
            yield w, standin


# OP-10
@pytest.mark.parametrize("broken", [ONE_SLIP, UNUSED], ids=["a rule-based fixer", "the repository's own tool"])
async def test_no_free_fix_changes_a_file_that_is_never_touched(world: OpenWorld, broken: dict[str, str]) -> None:
    async with world(policy("never_touch:\n  paths: ['shop.*']\n")) as w:
        pr = await w.healed(broken)
        assert await pr.stored() == ()
        assert "shop.py is never changed here (`shop.*`, `never_touch` in .github/heal.yml)" in pr.summary()
        assert (pr.comments(), pr.reviews()) == ([], [])


# OP-10
async def test_no_fix_of_an_agent_changes_a_file_that_is_never_touched(world: OpenWorld) -> None:
    async with asking(world, "never_touch:\n  paths: [shop.py]\n", oracle(FIX)) as (w, standin):
        pr = await w.healed(WRONG)
        assert standin.asked, "the error may lie elsewhere: an agent was asked"
        assert await pr.stored() == ()
        assert (pr.comments(), pr.reviews()) == ([], [])


# OP-10
async def test_what_lies_beside_a_file_that_is_never_touched_is_fixed(world: OpenWorld) -> None:
    async with world(policy("never_touch:\n  paths: [shop.py]\n")) as w:
        pr = await w.healed(ONE_SLIP | SLIP_ELSEWHERE)
        assert [offer.place for offer in pr.standing()] == ["box.py:2"]
        assert pr.verdict() == "Heal: neutral, 1 of 2 errors has a tested fix; 1 needs you"
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


# OP-10
async def test_errors_of_a_rule_that_is_never_touched_are_only_reported(world: OpenWorld) -> None:
    async with world(policy("never_touch:\n  rules: ['ruff F4*']\n")) as w:
        pr = await w.healed(UNUSED | SLIP_ELSEWHERE)
        assert [offer.place for offer in pr.standing()] == ["box.py:2"]
        assert "errors of `ruff F4*` are only reported here" in pr.summary()
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


# OP-10
async def test_kinds_that_are_only_reported_are_never_fixed_nor_paid_for(world: OpenWorld) -> None:
    async with asking(world, "report_only: [test]\n", oracle(FIX)) as (w, standin):
        pr = await w.healed(WRONG)
        assert standin.asked == []
        assert await pr.stored() == ()
        assert "`test` errors are only reported here (`report_only` in .github/heal.yml)" in pr.summary()
        assert (pr.comments(), pr.reviews()) == ([], [])


# OP-10
async def test_a_fix_larger_than_the_repositorys_cap_is_not_offered(world: OpenWorld) -> None:
    bloated = {"shop.py": ("return max(prices)", "added = sum(prices)\n    return added")}
    for most, offered in ((1, 0), (2, 1)):
        async with asking(world, f"caps:\n  lines: {most}\n", oracle(bloated)) as (w, _):
            pr = await w.healed(WRONG)
            assert len(pr.standing()) == offered
            assert (len(pr.comments()), len(pr.reviews())) == (offered, offered)


# OP-10
async def test_a_pull_request_does_not_lift_the_policy_of_its_base(world: OpenWorld) -> None:
    async with world(policy("never_touch:\n  paths: [shop.py]\n")) as w:
        pr = await w.healed(ONE_SLIP | {CONFIG: "report_only: []\n"})
        assert await pr.stored() == ()
        assert (pr.comments(), pr.reviews()) == ([], [])


# OP-10
async def test_a_fix_offered_before_the_policy_came_is_outdated_by_it_with_the_next_push(world: OpenWorld) -> None:
    async with world(GREEN) as w:
        pr = await w.healed(ONE_SLIP)
        (offer,) = pr.standing()
        await w.commit_to_main({CONFIG: "never_touch:\n  paths: [shop.py]\n"})
        await pr.push({"notes.md": "x\n"})
        await w.heal()
        before = pr.head
        (stored,) = await pr.stored()
        assert (stored.status, "shop.py is never changed here" in stored.reason) == ("outdated", True)
        answer = await pr.says("maya", f"/heal apply {offer.id}") or ""
        assert (pr.head, "never changed here" in answer) == (before, True)
        (gone,) = pr.withdrawn()
        assert "shop.py is never changed here" in gone
        assert (len(pr.comments()), len(pr.reviews()), pr.standing()) == (2, 1, [])


# OP-10
async def test_the_answer_to_config_shows_the_policy(world: OpenWorld) -> None:
    text = "never_touch:\n  paths: [db/]\nreport_only: [security]\ncaps:\n  files: 3\n"
    async with world(policy(text)) as w:
        pr = await w.pull({"notes.md": "x\n"})
        answer = await pr.says("maya", "/heal config") or ""
        for row in (
            '| `never_touch` | `{"paths": ["db/"], "rules": []}` | heal.yml |',
            '| `report_only` | `["security"]` | heal.yml |',
            '| `caps` | `{"files": 3, "lines": 800}` | heal.yml |',
        ):
            assert row in answer


# OP-10
async def test_branches_that_the_repository_does_not_name_wait_for_somebody_to_ask(world: OpenWorld) -> None:
    async with world(policy("branches: [release/*]\n")) as w:
        pr = await w.healed(ONE_SLIP)
        assert "the branch `main` is not in `branches` in `.github/heal.yml`" in pr.summary()
        assert await pr.stored() == ()
        await pr.says("maya", "/heal")
        assert len(pr.standing()) == 1
        assert (len(pr.comments()), len(pr.reviews())) == (2, 1)
    async with world(policy("branches: [main, release/*]\n")) as w:
        pr = await w.healed(ONE_SLIP)
        assert (len(pr.standing()), len(pr.comments()), len(pr.reviews())) == (1, 1, 1)


# OP-10, IN-4
async def test_how_often_heal_follows_its_own_commits_is_the_repositorys_to_say(world: OpenWorld) -> None:
    """The second slip comes with the base branch, so that Heal's own commit is red again."""
    for generations, offered in ((0, 0), (1, 1)):
        async with world(policy(f"generations: {generations}\n")) as w:
            pr = await w.healed({"shop.py": SLIPS})
            first, *_ = pr.standing()
            await pr.says("maya", f"/heal apply {first.id}")
            assert len(pr.standing()) == 2
            await w.ci()
            await w.heal()
            skipped = "limit of runs on its own commits (`generations`" in pr.summary()
            assert skipped == (not offered)
            assert (len(pr.comments()), len(pr.reviews()), len(pr.withdrawn())) == (2, 1, 1)


# OP-10
async def test_a_fixup_pull_request_is_opened_on_request_alone(world: OpenWorld) -> None:
    async with world({**WITH_REPORT, CONFIG: "fixup_pr: on_request\n"}) as w:
        pr = await w.healed(RENAMED)
        (stored,) = await pr.stored()
        assert (stored.status, stored.delivery, list(w.hub.pulls_of(w.repo))) == ("offered", "patch", [pr.pull])
        (summary,) = pr.comments()
        assert "/heal pr" in summary
        before = pr.head
        answer = await pr.says("maya", "/heal pr all")
        fixup = w.page(2)
        assert answer == f"- `{stored.proposal.id[:8]}` is in pull request #2. Merge it to apply the fix."
        assert (fixup.pull.base_ref, fixup.pull.draft, pr.head) == ("topic", False, before)
        assert "total_price" in fixup.read("report.py")
        assert len(pr.comments()) == 2


# OP-10
async def test_only_those_who_may_write_get_a_pull_request_of_fixes(world: OpenWorld) -> None:
    async with world({**WITH_REPORT, CONFIG: "fixup_pr: on_request\n"}) as w:
        pr = await w.healed(RENAMED)
        answer = await pr.says("sam", "/heal pr all") or ""
        assert "needs write access" in answer
        assert (list(w.hub.pulls_of(w.repo)), len(pr.comments())) == ([pr.pull], 2)


FORMATTED = {"pyproject.toml": SETTINGS + "\n[tool.ruff.format]\nquote-style = 'double'\n"}
FORMAT_JOB = """\
  layout:
    runs-on: self-hosted
    steps:
      - uses: actions/checkout@v4
      - name: Format
        run: ruff format --check .
"""
LAYOUT = SHOP.replace("return sum(prices)", "return   sum( prices )")
FORMATTING = {**GREEN, **FORMATTED, ".github/workflows/ci.yml": CI + FORMAT_JOB}


# OP-10, SC-6
async def test_formatting_is_committed_where_the_repository_wants_it_and_goes_away_by_its_id(world: OpenWorld) -> None:
    async with world({**FORMATTING, CONFIG: "commit_formatting: [ruff-format]\n"}) as w:
        pr = await w.healed({"shop.py": LAYOUT} | SLIP_ELSEWHERE)
        assert pr.read("shop.py") == SHOP
        assert len(pr.history()) == 2
        message = w.hub.bare(w.repo).info(pr.head).message
        assert message.startswith("chore: autofix [ruff-format]\n")
        assert "Heal-Generation: 1" in message
        assert [offer.place for offer in pr.standing()] == ["box.py:2"]
        (done,) = [one for one in await pr.stored() if one.status == "applied"]
        assert f"/heal rollback {done.proposal.id[:8]}" in message
        await pr.says("maya", f"/heal rollback {done.proposal.id}")
        assert pr.read("shop.py") == LAYOUT
        assert (len(pr.comments()), len(pr.reviews())) == (2, 1)


# OP-10, IN-5
async def test_formatting_is_only_offered_where_it_is_not_asked_for_and_never_committed_to_a_fork(
    world: OpenWorld,
) -> None:
    async with world({**FORMATTING, CONFIG: "commit_formatting: [black]\n"}) as w:
        pr = await w.healed({"shop.py": LAYOUT})
        assert (pr.read("shop.py"), len(pr.standing())) == (LAYOUT, 1)
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)
    async with world({**FORMATTING, CONFIG: "commit_formatting: [ruff-format]\nskip: {forks: false}\n"}) as w:
        pr = await w.pull_from_fork({"shop.py": LAYOUT})
        await w.ci()
        await w.heal()
        assert (pr.read("shop.py"), len(pr.standing())) == (LAYOUT, 1)
        assert (len(pr.comments()), len(pr.reviews())) == (1, 1)


# OP-10, LM-6
@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("dollars: 0", "the repository's own (`agents.dollars`) \\$0.00 are spent"),
        ("models: [claude-haiku-5-5]", "`agents.models` in .github/heal.yml allows none of the models of this Heal"),
    ],
)
async def test_a_repository_bounds_what_models_cost_and_which_are_asked(world: OpenWorld, rule: str, why: str) -> None:
    async with asking(world, f"agents: {{{rule}}}\n", oracle(FIX)) as (w, standin):
        pr = await w.healed(WRONG)
        assert not standin.asked
        assert await pr.stored() == ()
        assert why in await pr.says("maya", "/heal unfixable")


# OP-10
async def test_a_limit_of_the_repository_that_leaves_room_changes_nothing(world: OpenWorld) -> None:
    async with asking(world, "agents: {dollars: 5, models: [claude-sonnet-5-5]}\n", oracle(FIX)) as (w, standin):
        pr = await w.healed(WRONG)
        assert standin.asked
        assert len(await pr.stored()) == 1
        assert (len(pr.comments()), len(pr.reviews()), pr.suggested()) == (1, 1, 1)
