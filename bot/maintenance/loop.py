"""The worker's maintenance loop: heartbeats, what no event triggers, and deleting old data."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from bot.machine import Machine
from bot.maintenance.chat import send_chat
from bot.maintenance.redelivery import Redelivery
from bot.maintenance.retention import Retention
from bot.maintenance.sweeping import sweep_checks, sweep_ci_waits, sweep_fixups, sweep_tries
from bot.store.beats import BEAT_SECONDS, REDELIVERY, REDELIVERY_SECONDS, Heartbeat
from bot.store.held_session import LeaseLost
from bot.store.tries import Tries
from handlers.model import Refused

SECONDS = 30.0  # between rounds
FORGET_SECONDS = 3600.0
SWEEP_SECONDS = 300.0

_TEMPORARY = (SQLAlchemyError, LeaseLost)  # the next round tries again

log = logging.getLogger("heal.rounds")


@dataclass
class Maintenance:
    """A worker's periodic tasks, each with its own interval. The private fields are the times when they last ran."""

    machine: Machine
    retention: Retention
    _beaten: float = float("-inf")
    _forgotten: float = float("-inf")
    _swept: float = float("-inf")
    _asked: float = float("-inf")

    async def once(self) -> None:
        """Runs the tasks that are due. Raises SQLAlchemyError."""
        now = self.machine.contexts.now()
        await sweep_fixups(self.machine.contexts, self.machine.database)
        await sweep_ci_waits(self.machine.contexts, self.machine.database)
        await sweep_checks(self.machine.contexts, self.machine.database)
        if now - self._beaten >= BEAT_SECONDS:
            await self.machine.beats.beat()
            await self.machine.contexts.tally.write_down(self.machine.database)
            self._beaten = now
        if now - self._swept >= SWEEP_SECONDS:
            alone = not self.machine.database.is_server  # on SQLite no other worker can be running at start-up
            tries = Tries(self.machine.database, self.machine.contexts.now)
            await sweep_tries(self.machine.contexts, tries, alone and self._swept < 0)
            await self.machine.work.ask_turns()
            await self.retention.forget_folders(self.machine)
            self._swept = now
        if now - self._forgotten >= FORGET_SECONDS:
            await self.retention.forget_rows(self.machine)
            self._forgotten = now

    async def ask_for_missed(self) -> None:
        """Asks GitHub for missed deliveries if that is due; a refusal is only logged. Not part of `once`, whose first
        call is before the process accepts deliveries."""
        now = self.machine.contexts.now()
        if now - self._asked < REDELIVERY_SECONDS:
            return
        self._asked = now
        last_search = Heartbeat(self.machine.database, REDELIVERY, self.machine.contexts.now)
        app = self.machine.contexts.access().app
        try:
            await Redelivery(app, self.machine.work.deliveries, last_search, now).sweep()
        except Refused as refusal:
            log.warning("GitHub's list of deliveries can't be had, so missed ones wait: %s", refusal)

    async def run_forever(self, seconds: float) -> None:
        """Rounds until it is cancelled."""
        while True:
            await asyncio.sleep(seconds)
            try:
                await self.once()
                await send_chat(self.machine.contexts, self.machine.database)
                await self.ask_for_missed()
            except _TEMPORARY:
                log.exception("a round failed; the next one tries again")


@asynccontextmanager
async def run_maintenance(machine: Machine, keep_days: float, seconds: float = SECONDS) -> AsyncIterator[None]:
    """Runs the first round at once, and further ones in a task while the context is open."""
    rounds = Maintenance(machine, Retention(keep_days))
    await rounds.once()
    task = asyncio.create_task(rounds.run_forever(seconds))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
