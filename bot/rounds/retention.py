"""What is forgotten when: rows and folders that nobody needs any more."""

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
RUN_DAYS = 180.0  # how long a run can be read, its fixes taken back, and what agents learnt is worth something
BASE_DAYS = 1.0  # that nobody made a worktree of a checkout: making one again costs little
BASE_BYTES = 10 * (1 << 30)

log = logging.getLogger("heal.retention")


@dataclass(frozen=True)
class Retention:
    """`keep_days`: of deliveries that are over, outcomes of tests, and of a repository's fetched objects until they are
    fetched again. `run_days`: of runs that are over, and everything about them. `base_days`: of checkouts, since they
    were used."""

    keep_days: float
    run_days: float = RUN_DAYS
    base_days: float = BASE_DAYS

    async def forget_rows(self, machine: Machine) -> None:
        """Deletes what is old. Raises SQLAlchemyError."""
        now = machine.contexts.now()
        before = now - self.keep_days * DAY
        gone = await machine.work.deliveries.forget(before)
        await forget_test_outcomes(machine.database, before)
        await forget_lessons(machine.database, now - self.run_days * DAY)
        runs = await forget_runs(machine.database, now - self.run_days * DAY)
        if gone or runs:
            log.info("forgot %d deliveries and %d runs that were over for long", gone, runs)

    async def forget_folders(self, machine: Machine) -> None:
        """Deletes, on this disk, what was fetched of repositories that no run is remembered of: Heal was taken
        off them. What is old of others goes too: it only grows, and can be fetched. Raises SQLAlchemyError."""
        from healing.git import GitError

        if machine.healers is None:
            return
        now, stores = machine.contexts.now(), machine.healers.stores
        there = await asyncio.to_thread(stores.ids)
        unknown = there - await known_of(machine.database, there)
        old = await asyncio.to_thread(stores.made_before, now - self.keep_days * DAY)
        for repo_id in await asyncio.to_thread(stores.remove, unknown | old):
            log.info("removed what was fetched of repository %d", repo_id)
        with suppress(GitError):  # no folder can be made here: that was reported at the start
            worktrees, today = machine.healers.engine().worktrees, datetime.fromtimestamp(now, UTC)
            await asyncio.to_thread(worktrees.clean, timedelta(self.base_days), BASE_BYTES, today)
