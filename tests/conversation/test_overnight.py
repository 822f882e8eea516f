"""Where nobody waits for a run, the App asks for fixes in one batch at half the price (LM-4)."""

from pydantic import SecretStr

from tests.conversation.small_repo import ON_PUSH, SHOP
from tests.model_standin import Reply, server, use
from tests.model_standin.brains import oracle, sections
from tests.model_standin.replies import Body
from tests.world import OpenWorld

WRONG = {"shop.py": SHOP.replace("return sum(prices)", "return max(prices)")}
OTHERWISE = {"shop.py": SHOP.replace("return sum(prices)", "return min(prices)")}  # what was offered before is recalled
FIX = {"file": "shop.py", "old_string": "return min(prices)", "new_string": "return sum(prices)"}
NIGHTS = {**ON_PUSH, ".github/heal.yml": "agents:\n  overnight: true\n"}


def knows(body: Body, number: int) -> Reply:
    """Hands its cure in at once where it is asked in a batch, else as agents do."""
    if "You have one reply" not in str(body["messages"][0]):
        return oracle({"shop.py": ("return max(prices)", "return sum(prices)")})(body, number)
    reported = {"title": "Add them up", "explanation": "e", "confidence": 80}
    return Reply((use("suggest_fix", error_ids=list(sections(body)), edits=[FIX], **reported),))


# LM-4
async def test_a_red_default_branch_is_healed_by_a_batch_and_a_pull_request_never_waits_for_one(
    world: OpenWorld,
) -> None:
    async with server.serve(knows) as standin:
        standin.batches.polls = 1
        keys = {"anthropic_api_key": SecretStr(standin.key), "anthropic_base_url": standin.url}
        async with world(NIGHTS, **keys) as w:
            pr = await w.healed(WRONG)
            (offer,) = pr.standing()
            assert offer.text == "    return sum(prices)"
            assert standin.batches.batches == {}, "somebody waits for it"
            assert "Repair it" in pr.texts_of(offer)
            assert (len(pr.comments()), len(pr.reviews())) == (1, 1)
            await w.commit_to_main(OTHERWISE)
            await w.ci()
            await w.heal()
            assert len(standin.batches.batches) == 1
            fixup = w.page(2)
            assert fixup.pull.base_ref == "main"
            assert fixup.read("shop.py") == SHOP
            fixup.plain(fixup.pull.body or "")
