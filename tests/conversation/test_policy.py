"""The repository's policy in `.github/heal.yml`: what no fix touches, what is only reported, how large a fix may be."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from tests.conversation.small_repo import GREEN, ONE_SLIP, SHOP
from tests.conversation.test_models import WRONG
from tests.model_standin import server
from tests.model_standin.brains import oracle
from tests.world import OpenWorld, World

CONFIG = ".github/heal.yml"
UNUSED = {"shop.py": SHOP.replace("\n\n\n", "\n\nimport os\n\n\n", 1)}
SLIP_ELSEWHERE = {"box.py": "def boxes(count, size):\n    return -(-count // szie)\n"}
CURE = {"shop.py": ("return max(prices)", "return sum(prices)")}


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
    async with asking(world, "never_touch:\n  paths: [shop.py]\n", oracle(CURE)) as (w, standin):
        pr = await w.healed(WRONG)
        assert standin.asked, "the error may lie elsewhere: an agent was asked"
        assert await pr.stored() == ()
        assert (pr.comments(), pr.reviews()) == ([], [])


# OP-10
async def test_what_lies_beside_a_file_that_is_never_touched_is_fixed(world: OpenWorld) -> None:
    async with world(policy("never_touch:\n  paths: [shop.py]\n")) as w:
        pr = await w.healed(ONE_SLIP | SLIP_ELSEWHERE)
        assert [offer.place for offer in pr.standing()] == ["box.py:2"]
        assert pr.verdict() == "Heal: neutral, 1 of 2 errors have a tested fix; 1 needs you"
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
    async with asking(world, "report_only: [test]\n", oracle(CURE)) as (w, standin):
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
