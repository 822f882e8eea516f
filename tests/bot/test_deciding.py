"""What was decided about a proposal is not undone by whoever read it before (SC-4, IN-3)."""

import asyncio

from bot.store.repo import RepoStore
from handlers.model import EVERY, STANDING
from tests.bot.test_store import SHA, proposal, stored


async def test_anyone_who_read_a_proposal_too_early_undoes_nothing(store: RepoStore) -> None:
    await store.save_proposals((stored("p1"),))
    (read_early,) = await store.proposals(3)
    assert await store.update_proposal(
        read_early, {"status": "applied", "applied_sha": SHA, "reference": SHA}, only=STANDING
    )
    late = {"proposal": proposal("p1"), "status": "outdated", "reason": "too late"}
    assert not await store.update_proposal(read_early, late, only=STANDING)  # type: ignore[arg-type]
    assert await store.update_proposal(read_early, {"fixup_number": None}, only=EVERY)
    (now,) = await store.proposals(3)
    assert (now.status, now.applied_sha, now.reference, now.reason) == ("applied", SHA, SHA, "")


async def test_of_two_who_decide_at_the_same_time_one_wins(store: RepoStore) -> None:
    await store.save_proposals((stored("p1"),))
    (read,) = await store.proposals(3)
    words = ("applied", "rejected", "outdated")
    won = await asyncio.gather(*(store.update_proposal(read, {"status": w}, only=STANDING) for w in words))  # type: ignore[typeddict-item]
    assert sorted(won) == [False, False, True]
    assert [p.status for p in await store.proposals(3)] == [words[won.index(True)]]
