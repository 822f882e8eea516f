"""Locks on things that only one task may do at a time, such as posting on a pull request: within this process, or
among all workers."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Protocol
from weakref import WeakValueDictionary

from sqlalchemy import text

from bot.store.held_session import HeldSession, LeaseLost

LOOK_AGAIN = (0.05, 1.0)  # seconds between attempts to get a lock that another worker holds: initial, maximum


class Locks(Protocol):
    """`hold` waits until the lock of that kind and number in that repository is free, and takes it."""

    def hold(self, repo_id: int, kind: str, number: int) -> AbstractAsyncContextManager[None]: ...


class LocalLocks:
    """`Locks` for a single worker process."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[tuple[int, str, int], asyncio.Lock] = WeakValueDictionary()

    def hold(self, repo_id: int, kind: str, number: int) -> AbstractAsyncContextManager[None]:
        return self._locks.setdefault((repo_id, kind, number), asyncio.Lock())


class SessionLocks:
    """`Locks` among all workers on one PostgreSQL: advisory locks of one session. When that session ends they are free
    for others at once, so a holder must call `Lease.check` before it does anything that others can see."""

    def __init__(self, session: HeldSession) -> None:
        self._session = session
        self._local = LocalLocks()  # a session may take its own lock twice

    @asynccontextmanager
    async def hold(self, repo_id: int, kind: str, number: int) -> AsyncIterator[None]:
        key = lock_key(repo_id, kind, number)
        async with self._local.hold(repo_id, kind, number):
            try:  # a task that is cancelled while asking may already have the lock
                await self._take(key)
                yield
            finally:
                with suppress(LeaseLost):  # then the server has released it
                    await self._session.ask(text("SELECT pg_advisory_unlock(:key)"), key=key)

    async def _take(self, key: int) -> None:
        pause, longest = LOOK_AGAIN
        while not await self._session.ask(text("SELECT pg_try_advisory_lock(:key)"), key=key):
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)


def lock_key(repo_id: int, kind: str, number: int) -> int:
    """Returns the lock's key on the server, a signed 64-bit integer."""
    name = f"heal/{repo_id}/{kind}/{number}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big", signed=True)
