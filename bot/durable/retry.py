"""While the database is gone, what needs it waits and tries again: nothing is lost by that."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy.exc import InterfaceError, OperationalError, TimeoutError

DATABASE_GONE = (OperationalError, InterfaceError, TimeoutError)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 30.0  # seconds between tries

Answer = TypeVar("Answer")

log = logging.getLogger("heal.retry")


async def with_retry(act: Callable[[], Awaitable[Answer]]) -> Answer:
    """Again and again while the database is gone."""
    pause = _FIRST_PAUSE
    while True:
        try:
            return await act()
        except DATABASE_GONE as error:
            log.warning("the database can't be reached (%s); tried again in %.0f s", type(error).__name__, pause)
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
