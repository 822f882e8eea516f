"""Work in a thread that is waited for whatever happens."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


async def to_the_end(work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs it in a thread, and when we are cancelled waits for its end first: a thread can't be stopped, and what it
    still writes could not be removed."""
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
            task.exception()  # it was seen; the cancellation is what counts
        raise
