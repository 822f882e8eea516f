"""Ten questions a person an hour, counted in the store by the clock in hand (SC-3)."""

import asyncio

from bot.store.repo import RepoStore
from handlers.model import Allowance
from tests.bot.conftest import Clock


# SC-3
async def test_ten_questions_an_hour_are_answered_and_the_eleventh_is_told_once(store: RepoStore, clock: Clock) -> None:
    start = clock.at
    for number in range(10):
        assert (await store.allow(1, f"q{number}", 10, 3600)).verdict == "answer"
        clock.at += 60
    reported = Allowance(verdict="say", until=start + 3600)
    assert await store.allow(1, "q10", 10, 3600) == reported
    assert await store.allow(1, "q10", 10, 3600) == reported  # the same question, done again after a crash
    assert {(await store.allow(1, f"more{number}", 10, 3600)).verdict for number in range(50)} == {"silent"}
    assert (await store.allow(2, "p0", 10, 3600)).verdict == "answer"
    clock.at = reported.until
    assert (await store.allow(1, "q11", 10, 3600)).verdict == "answer"
    assert await store.allow(1, "q12", 10, 3600) == Allowance(verdict="say", until=start + 60 + 3600)
    assert (await store.allow(1, "q13", 10, 3600)).verdict == "silent"


# SC-3
async def test_questions_at_the_same_time_are_counted_one_by_one(store: RepoStore) -> None:
    allowed = await asyncio.gather(*(store.allow(1, f"q{number}", 10, 3600) for number in range(30)))
    assert sorted(one.verdict for one in allowed) == ["answer"] * 10 + ["say"] + ["silent"] * 19
