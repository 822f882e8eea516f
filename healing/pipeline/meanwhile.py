"""Work of Heal's own while commands run: nobody waits for it then."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from healing.worktrees.threads import to_the_end


@asynccontextmanager
async def meanwhile(work: Callable[[], object] | None) -> AsyncIterator[None]:
    """Does the work in a thread beside the body; on every way out both have ended. It fills a cache: what it raises is
    raised again by whoever asks for the same, so nothing is reported on it here."""
    task = asyncio.ensure_future(to_the_end(work)) if work else None
    try:
        yield
    finally:
        if task is not None:
            await asyncio.wait({task})
            task.exception()
