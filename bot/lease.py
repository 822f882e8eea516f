"""A worker's lease: renewed by heartbeats, checked before every externally visible action, and expired here before
another worker may take over the work."""

import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.database import Database
from bot.store.held_session import HeldSession, LeaseLost, open_session
from bot.store.locks import LocalLocks, Locks, SessionLocks
from bot.store.workers import Workers, WorkerSession, beat_of, session_is_alive, take_name
from handlers.errors import UserError

BEATS = 12  # per lease limit, the silence after which a worker's work is taken over
END_SECONDS = 10.0  # for an orderly shutdown once the lease is lost
AGAIN = 75  # the exit code that asks for a restart (EX_TEMPFAIL)

log = logging.getLogger("heal.lease")


def uptime() -> float:
    """Returns seconds of a monotonic clock that also counts while the machine is suspended, where the system has
    one."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def end_process() -> None:
    """Asks this process to end, and kills it after END_SECONDS: another worker may soon take over its work."""
    hard = threading.Timer(END_SECONDS, os._exit, (AGAIN,))
    hard.daemon = True
    hard.start()
    signal.raise_signal(signal.SIGTERM)


@dataclass
class Lease:
    """The lease of one worker session. Without a database session (SQLite: one worker, guarded by a file lock) it can't
    be lost. `limit` is the silence, in seconds, after which others take over the work; here the lease expires after
    half of it without a heartbeat."""

    life: WorkerSession
    locks: Locks
    limit: float
    session: HeldSession | None = None
    clock: Callable[[], float] = uptime
    _beaten: float = 0.0

    def __post_init__(self) -> None:
        self._beaten = self.clock()

    async def check(self) -> None:
        """Must be called before (and where it matters after) externally visible actions. Raises LeaseLost."""
        if self.session is None:
            return
        self._in_time()
        if await self.session.ask(select(1).where(session_is_alive(self.life))) is None:
            raise LeaseLost(f"{self.life.worker} was silent, and is taken for dead")
        self._in_time()  # the process may have been suspended during the query

    async def guard(self, connection: AsyncConnection) -> None:
        """`Database.guard`: exact, because a session is declared dead in a write transaction too. Raises LeaseLost."""
        await self.check()
        if (await connection.execute(select(1).where(session_is_alive(self.life)))).first() is None:
            raise LeaseLost(f"{self.life.worker} was silent, and is taken for dead")

    async def renew(self) -> None:
        """Sends one heartbeat. Raises LeaseLost."""
        if self.session is None:
            return
        asked = self.clock()
        if not await self.session.change(beat_of(self.life)):
            raise LeaseLost(f"{self.life.worker} was silent, and is taken for dead")
        self._in_time()
        self._beaten = asked

    async def held(self) -> bool:
        """Whether the lease is still valid."""
        try:
            await self.check()
        except LeaseLost:
            return False
        return True

    def _in_time(self) -> None:
        silent = self.clock() - self._beaten
        if silent > self.limit / 2:
            raise LeaseLost(f"{self.life.worker} has not been able to renew its lease for {silent:.0f} s")

    async def keep(self, end: Callable[[], None]) -> None:
        """Sends heartbeats until the lease is lost, then calls `end`."""
        while True:
            try:
                await self.renew()
            except LeaseLost as lost:
                log.error("this worker ends, so that nobody works against another: %s", lost)
                end()
                return
            await asyncio.sleep(self.limit / BEATS)


async def _take_name(session: HeldSession, worker: str, longest_wait: float) -> None:
    """Claims the worker's name. Raises UserError if another process still holds it after `longest_wait` seconds; the
    session of a dead process may last a moment."""
    until = uptime() + longest_wait
    while not await session.ask(take_name(worker)):
        if uptime() > until:
            raise UserError(
                f"another worker on this database calls itself {worker}. Give each machine a name of its own, and each "
                f"worker a HEAL_DATA of its own"
            )
        await asyncio.sleep(longest_wait / BEATS)


@asynccontextmanager
async def hold_lease(
    database: Database, workers: Workers, worker: str, limit: float, end: Callable[[], None]
) -> AsyncIterator[Lease]:
    """Begins a new session of the worker and holds its lease; on PostgreSQL every write is guarded by it from now on.
    Raises UserError if another process uses this name."""
    async with AsyncExitStack() as stack:
        if not database.is_server:
            yield Lease(await workers.begin(worker), LocalLocks(), limit)
            return
        session = await stack.enter_async_context(open_session(database))
        await _take_name(session, worker, limit)
        lease = Lease(await workers.begin(worker), SessionLocks(session), limit, session)
        database.guard = lease.guard
        keeping = asyncio.create_task(lease.keep(end), name=f"beats of {worker}")
        try:
            yield lease
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
            with suppress(LeaseLost):
                await workers.end(lease.life)
            database.guard = None
