"""An environment that is not CI's: no verdict, no fix that nobody tested, and what helps is said."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.conversation.small_repo import GREEN, ONE_SLIP
from tests.conversation.test_verify_auto import PUSHED, USES
from tests.conversation.test_verify_by_ci import branches, nothing_left, red, seen
from tests.world import OpenWorld, World

TESTS = PUSHED.replace("      - name: Ruff\n        run: ruff check .\n", "")
# What CI's machines have and Heal's has not, as a variable of the organisation is.
LICENSED = {
    **GREEN,
    ".github/workflows/ci.yml": TESTS,
    "conftest.py": "import os\n\nLICENCE = os.environ['SHOP_LICENCE']\n",
}
BROKEN = {**ONE_SLIP, "test_shop.py": USES}


@asynccontextmanager
async def licensed(world: OpenWorld, **more: str) -> AsyncIterator[World]:
    async with world({**LICENSED, **more}) as w:
        w.runner.machines = w.runner.machines.with_env(SHOP_LICENCE="corner-shop")
        yield w


# ENV-3 ENV-6
async def test_where_this_environment_differs_from_cis_ci_tests_the_fix(world: OpenWorld) -> None:
    async with licensed(world) as w:
        pr = await red(w, BROKEN)
        (offer,) = pr.standing()
        assert offer.text == "    return price - price * percent / 100"
        assert "(tested by your CI)" in offer.comment.body
        (stored,) = await pr.stored()
        assert [item.command for item in stored.proposal.evidence] == ["CI: checks"]
        assert len(seen(w)) == 1
        await nothing_left(w, pr)


# ENV-3 ENV-6
@pytest.mark.parametrize("why", ["local", "no push", "fork"])
async def test_where_ci_may_not_be_asked_the_difference_is_named_with_what_helps(world: OpenWorld, why: str) -> None:
    more = {".github/heal.yml": "verify: local\n"} if why == "local" else {}
    if why == "no push":
        more = {".github/workflows/ci.yml": TESTS.replace(", push]", "]")}
    async with licensed(world, **more) as w:
        if why == "fork":
            pr = await w.pull_from_fork(BROKEN)
            await w.ci()
            w.clock.meanwhile = w.ci
            await w.heal()
            assert await pr.says("maya", "/heal")
        else:
            pr = await red(w, BROKEN)
        assert pr.offers() == []
        assert seen(w) == branches(w) == []
        assert pr.verdict() == "Heal: neutral, Couldn't check this failure"
        summary = pr.summary()
        assert "this environment differs from CI's" in summary
        assert "SHOP\\_LICENCE" in summary
        assert "`setup:`" in summary
        assert "ANTHROPIC_API_KEY" not in summary, "nothing is priced that nobody could test"
        assert "about $" not in summary
        await nothing_left(w, pr)


# ENV-3
async def test_on_the_default_branch_the_last_green_commit_tells_that_the_environment_differs(world: OpenWorld) -> None:
    async with licensed(world) as w:
        await w.commit_to_main({"notes.txt": "Open.\n"})
        await w.ci()
        await w.heal()
        await w.commit_to_main(BROKEN)
        await w.ci()
        await w.heal()
        assert [pull.number for pull in w.hub.pulls_of(w.repo)] == [], "no fixup of what nobody could look at"
        run = await w.store.run(w.hub.bare(w.repo).branch("main") or "", 1)
        assert run is not None
        assert run.outcome is not None
        assert run.outcome.verdict == "could-not-look"
        assert any("this environment differs from CI's" in one.why for one in run.outcome.not_looked)
