"""Heal's own work beside checks: done with them, silent, and never left running."""

import asyncio
import threading

import pytest

from healing.pipeline.meanwhile import in_background


async def test_work_runs_beside_the_body_and_has_ended_with_it() -> None:
    begun, go_on, done = threading.Event(), threading.Event(), []

    def work() -> None:
        begun.set()
        assert go_on.wait(30)
        done.append("work")

    async with in_background(work):
        assert await asyncio.to_thread(begun.wait, 30)
        assert done == []
        go_on.set()
    assert done == ["work"]


async def test_what_work_raises_is_for_anyone_who_asks_for_its_result() -> None:
    def work() -> None:
        raise ValueError

    async with in_background(work):
        pass
    with pytest.raises(KeyError):
        async with in_background(work):
            raise KeyError
    async with in_background(None):
        pass


async def test_a_cancelled_run_waits_for_its_thread() -> None:
    begun, go_on, done = threading.Event(), threading.Event(), []

    def work() -> None:
        begun.set()
        assert go_on.wait(30)
        done.append("work")

    async def run() -> None:
        async with in_background(work):
            await asyncio.Event().wait()

    task = asyncio.create_task(run())
    assert await asyncio.to_thread(begun.wait, 30)
    task.cancel()
    assert await asyncio.wait({task}, timeout=0.05) == (set(), {task})
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["work"]
