"""The worker's rounds: says that it lives, looks after what no event tells of, and forgets what is old."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from bot.machine import Machine
from bot.rounds.chat import send_chat
from bot.rounds.redelivery import Redelivery
from bot.rounds.retention import Retention
from bot.rounds.sweeping import sweep_checks, sweep_ci_waits, sweep_fixups, sweep_tries
from bot.store.beats import BEAT_SECONDS, REDELIVERY, REDELIVERY_SECONDS, Heartbeat
from bot.store.held_session import LeaseLost
from bot.store.tries import Tries
from handlers.model import Refused

SECONDS = 30.0  # between rounds
FORGET_SECONDS = 3600.0
SWEEP_SECONDS = 300.0

_PASSING = (SQLAlchemyError, LeaseLost)  # tried again later

log = logging.getLogger("heal.rounds")


@dataclass
class Maintenance:
    """What a worker does again and again, each thing at its own times."""

    machine: Machine
    retention: Retention
    _beaten: float = float("-inf")
    _forgotten: float = float("-inf")
    _swept: float = float("-inf")
    _asked: float = float("-inf")

    async def once(self) -> None:
        """One round. Raises SQLAlchemyError."""
        now = self.machine.contexts.now()
        await sweep_fixups(self.machine.contexts, self.machine.database)
        await sweep_ci_waits(self.machine.contexts, self.machine.database)
        await sweep_checks(self.machine.contexts, self.machine.database)
        if now - self._beaten >= BEAT_SECONDS:
            await self.machine.beats.beat()
            await self.machine.contexts.tally.write_down(self.machine.database)
            self._beaten = now
        if now - self._swept >= SWEEP_SECONDS:
            alone = not self.machine.database.is_server  # then nobody else can be at work at the start
            tries = Tries(self.machine.database, self.machine.contexts.now)
            await sweep_tries(self.machine.contexts, tries, alone and self._swept < 0)
            await self.machine.work.ask_turns()
            await self.retention.forget_folders(self.machine)
            self._swept = now
        if now - self._forgotten >= FORGET_SECONDS:
            await self.retention.forget_rows(self.machine)
            self._forgotten = now

    async def ask_for_missed(self) -> None:
        """Asks GitHub for deliveries that never arrived, if it is time again; not being able to is no matter. Not part
        of the first round: that one is made before anybody could deliver."""
        now = self.machine.contexts.now()
        if now - self._asked < REDELIVERY_SECONDS:
            return
        self._asked = now
        looked = Heartbeat(self.machine.database, REDELIVERY, self.machine.contexts.now)
        app = self.machine.contexts.access().app
        try:
            await Redelivery(app, self.machine.work.deliveries, looked, now).sweep()
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
            except _PASSING:
                log.exception("a round failed; the next one tries again")


@asynccontextmanager
async def run_maintenance(machine: Machine, keep_days: float, seconds: float = SECONDS) -> AsyncIterator[None]:
    """The first round at once, further ones beside whatever is done inside."""
    rounds = Maintenance(machine, Retention(keep_days))
    await rounds.once()
    task = asyncio.create_task(rounds.run_forever(seconds))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
