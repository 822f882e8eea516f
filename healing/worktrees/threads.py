"""Runs work in a thread and waits for it to finish even when cancelled."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


async def run_to_end(work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs `work` in a thread; when cancelled, waits for it to finish before raising CancelledError. A thread can't be
    stopped, and files that it still writes could not be removed."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                continue
        if not task.cancelled():
            task.exception()  # marks it as retrieved; the cancellation takes precedence
        raise
