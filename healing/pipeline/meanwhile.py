"""Does Heal's own computations while commands run, so that they cost no extra time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from healing.worktrees.threads import run_to_end


@asynccontextmanager
async def in_background(work: Callable[[], object] | None) -> AsyncIterator[None]:
    """Runs `work` in a thread beside the body; both have ended on every way out. It fills a cache, and any exception is
    raised again when the same value is computed later, so it is ignored here."""
    task = asyncio.ensure_future(run_to_end(work)) if work else None
    try:
        yield
    finally:
        if task is not None:
            await asyncio.wait({task})
            task.exception()
