"""Deletes old rows and folders, and says how long each kind is kept."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.machine import Machine
from bot.store.memory import forget_lessons
from bot.store.outcomes import forget_test_outcomes
from bot.store.retention import forget_runs, known_of

DAY = 86_400.0
RUN_DAYS = 180.0  # how long runs are kept, so that their fixes can be reverted, and what agents learnt
BASE_DAYS = 1.0  # since a base checkout was last used; another one costs little
BASE_BYTES = 10 * (1 << 30)

log = logging.getLogger("heal.retention")


@dataclass(frozen=True)
class Retention:
    """How many days data is kept. `keep_days`: finished deliveries, outcomes of tests, and the fetched objects of a
    repository. `run_days`: finished runs with all their data. `base_days`: checkouts since their last use."""

    keep_days: float
    run_days: float = RUN_DAYS
    base_days: float = BASE_DAYS

    async def forget_rows(self, machine: Machine) -> None:
        """Deletes old rows. Raises SQLAlchemyError."""
        now = machine.contexts.now()
        before = now - self.keep_days * DAY
        gone = await machine.work.deliveries.forget(before)
        await forget_test_outcomes(machine.database, before)
        await forget_lessons(machine.database, now - self.run_days * DAY)
        runs = await forget_runs(machine.database, now - self.run_days * DAY)
        if gone or runs:
            log.info("forgot %d deliveries and %d runs that were over for long", gone, runs)

    async def forget_folders(self, machine: Machine) -> None:
        """Deletes from this disk the fetched objects of repositories without a stored run, since Heal was uninstalled
        there, and old ones of other repositories, which would only grow and can be fetched again. Raises
        SQLAlchemyError."""
        from healing.git import GitError

        if machine.healers is None:
            return
        now, stores = machine.contexts.now(), machine.healers.stores
        there = await asyncio.to_thread(stores.ids)
        unknown = there - await known_of(machine.database, there)
        old = await asyncio.to_thread(stores.made_before, now - self.keep_days * DAY)
        for repo_id in await asyncio.to_thread(stores.remove, unknown | old):
            log.info("removed what was fetched of repository %d", repo_id)
        with suppress(GitError):  # no folder can be created here, which was reported at start-up
            worktrees, today = machine.healers.engine().worktrees, datetime.fromtimestamp(now, UTC)
            await asyncio.to_thread(worktrees.clean, timedelta(self.base_days), BASE_BYTES, today)
