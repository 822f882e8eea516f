"""Retries while the database is unreachable, so that an outage loses no work."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy.exc import InterfaceError, OperationalError, TimeoutError

DATABASE_GONE = (OperationalError, InterfaceError, TimeoutError)
_FIRST_PAUSE, _MAX_PAUSE = 0.25, 30.0  # seconds between attempts

Answer = TypeVar("Answer")

log = logging.getLogger("heal.retry")


async def with_retry(act: Callable[[], Awaitable[Answer]]) -> Answer:
    """Calls `act`, again and with growing pauses while the database is unreachable, and returns its result."""
    pause = _FIRST_PAUSE
    while True:
        try:
            return await act()
        except DATABASE_GONE as error:
            log.warning("the database can't be reached (%s); tried again in %.0f s", type(error).__name__, pause)
        await asyncio.sleep(pause)
        pause = min(2 * pause, _MAX_PAUSE)
