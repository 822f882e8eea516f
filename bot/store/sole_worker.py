"""One worker at a time for a database: its locks on pull requests live in its memory, and the durable engine resumes
what the last one left. A further worker waits until the first is gone, then takes over."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from bot.settings import Settings
from bot.store.database import Database
from handlers.errors import UserError

LOOK_AGAIN = 0.5  # seconds
_KEY = 0x4865616C  # "Heal": names the lock on PostgreSQL

Still = Callable[[], Awaitable[bool]]


@asynccontextmanager
async def sole_worker(settings: Settings, database: Database, patience: float | None) -> AsyncIterator[Still]:
    """Holds the turn; gives a question whether it is still held (a database that restarts forgets it).

    Waits at most `patience` seconds for another worker's end (None: as long as it takes). Raises UserError.
    """
    hold = _on_file if settings.store_url.startswith("sqlite") else _on_server
    until = None if patience is None else time.monotonic() + patience
    async with hold(settings, database) as attempt:
        while not await attempt():
            if until is not None and time.monotonic() >= until:
                raise UserError(
                    f"another worker (`heal serve` or `heal worker`) is at work on {settings.store_name}. Stop it "
                    f"first, or run `heal serve --web-only` beside it, or `heal worker`, which waits for its turn"
                )
            await asyncio.sleep(LOOK_AGAIN)
        yield attempt


@asynccontextmanager
async def _on_file(settings: Settings, _database: Database) -> AsyncIterator[Still]:
    """A lock on a file beside the database: gone with its process."""
    from healing.gitio.locks import acquire, release

    held: int | None = None

    async def attempt() -> bool:
        nonlocal held
        held = acquire(settings.store_file.with_suffix(".worker.lock"), wait=False) if held is None else held
        return held is not None

    try:
        yield attempt
    finally:
        if held is not None:
            release(held)


@asynccontextmanager
async def _on_server(_settings: Settings, database: Database) -> AsyncIterator[Still]:
    """An advisory lock of one connection's session. Asked again, it says whether that connection lives."""
    held = False
    async with database.session() as session:

        async def attempt() -> bool:
            nonlocal held
            query = "SELECT 1" if held else f"SELECT pg_try_advisory_lock({_KEY})"
            try:
                held = bool((await session.execute(text(query))).scalar())
            except SQLAlchemyError:
                return False
            return held

        yield attempt
