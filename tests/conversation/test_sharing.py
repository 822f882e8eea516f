"""Two pull requests show the same failure at the same moment: one of the two pays for its cure."""

import asyncio

from pydantic import SecretStr

from healing.model import Outcome
from tests.conversation.page import Page
from tests.conversation.small_repo import SHOP
from tests.model_standin import server
from tests.model_standin.brains import oracle
from tests.world import OpenWorld, World

WRONG = {"shop.py": SHOP.replace("return sum(prices)", "return max(prices)")}
RIGHT = ("return max(prices)", "return sum(prices)")


async def at_once(w: World) -> None:
    """Heal looks at two pull requests at the same time."""
    await w.hub.settled()
    await asyncio.gather(w.queue.drain(), w.queue.drain())
    await w.heal()


async def outcome_of(page: Page) -> Outcome:
    (run,) = await page.runs()
    assert run.outcome is not None
    return run.outcome


# IN-7 AF-4
async def test_two_pull_requests_with_one_breakage_at_the_same_moment_pay_once(world: OpenWorld) -> None:
    async with (
        server.serve(oracle({"shop.py": RIGHT}, careful=True)) as standin,
        world(anthropic_api_key=SecretStr(standin.key), anthropic_base_url=standin.url) as w,
    ):
        one = await w.pull(WRONG, branch="one")
        other = await w.pull({**WRONG, "README.md": "# A shop\n"}, branch="other")
        await w.ci()
        await at_once(w)
        outcomes = [await outcome_of(one), await outcome_of(other)]
        paid, waited = sorted(outcomes, key=lambda outcome: -outcome.spending.calls)
        assert (paid.spending.calls, waited.spending.calls) == (len(standin.asked), 0)
        assert (paid.verdict, waited.verdict) == ("healed", "healed")
        assert [p.source.partition(":")[0] for p in waited.proposals] == ["memory"]
        for page in (one, other):
            assert [offer.text for offer in page.standing()] == ["    return sum(prices)"]
            assert (len(page.comments()), len(page.reviews())) == (1, 1)


# IN-7
async def test_a_run_that_waited_in_vain_asks_for_itself(world: OpenWorld) -> None:
    async with (
        server.serve(oracle({})) as standin,
        world(anthropic_api_key=SecretStr(standin.key), anthropic_base_url=standin.url) as w,
    ):
        one = await w.pull(WRONG, branch="one")
        other = await w.pull({**WRONG, "README.md": "# A shop\n"}, branch="other")
        await w.ci()
        await at_once(w)
        assert [(await outcome_of(page)).spending.calls > 0 for page in (one, other)] == [True, True]
        assert one.comments() == other.comments() == []
        assert one.offers() == other.offers() == []
