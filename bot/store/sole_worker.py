"""Ensures that only one worker uses a folder: with SQLite the folder of its file, as all its locks live in one process;
with PostgreSQL the worker's data folder, which identifies it. A second worker waits until the first has ended."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.settings import Settings
from handlers.errors import UserError

LOOK_AGAIN = 0.5  # seconds


@asynccontextmanager
async def sole_worker(settings: Settings, longest_wait: float | None) -> AsyncIterator[None]:
    """Holds the folder's lock, which a dead process releases.

    Waits at most `longest_wait` seconds for another worker to end (None: without limit), then raises UserError.
    """
    from healing.git.locks import acquire, release

    until = None if longest_wait is None else time.monotonic() + longest_wait
    path, where = _lock_of(settings)
    while (held := acquire(path, wait=False)) is None:
        if until is not None and time.monotonic() >= until:
            raise UserError(
                f"another worker (`heal serve` or `heal worker`) is running {where}. Stop it first, or run "
                f"`heal serve --web-only` beside it, or `heal worker`, which waits for its turn"
            )
        await asyncio.sleep(LOOK_AGAIN)
    try:
        yield
    finally:
        release(held)


def _lock_of(settings: Settings) -> tuple[Path, str]:
    if settings.store_url.startswith("sqlite"):
        return settings.store_file.with_suffix(".worker.lock"), f"on {settings.store_name}"
    settings.data.mkdir(mode=0o711, parents=True, exist_ok=True)
    return settings.data / "worker.lock", f"in {settings.data}; give each worker a HEAL_DATA of its own"
