"""The lock for writes: one holder at a time, those who hold up an answer before the others."""

import asyncio

import pytest

from bot.store.database import WriteLock


async def test_one_at_a_time_and_those_who_are_first_go_before_others_who_wait() -> None:
    lock, order, inside = WriteLock(), [], 0

    async def write(name: str, first: bool = False) -> None:
        nonlocal inside
        async with lock.held(first):
            inside += 1
            assert inside == 1
            await asyncio.sleep(0.001)
            order.append(name)
            inside -= 1

    await asyncio.gather(write("a"), write("b"), write("c"), write("answer 1", first=True), write("answer 2", True))
    assert order == ["a", "answer 1", "answer 2", "b", "c"]


async def test_who_gives_up_waiting_hands_the_turn_on_also_at_the_last_moment() -> None:
    lock = WriteLock()
    entered = asyncio.Event()

    async def hold() -> None:
        async with lock.held():
            entered.set()
            await asyncio.sleep(0.005)

    holding = asyncio.ensure_future(hold())
    await entered.wait()
    waiting = asyncio.ensure_future(hold())
    await asyncio.sleep(0)
    holding.add_done_callback(lambda _: waiting.cancel())
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(1), lock.held():
        pass
