"""What there is to do, whoever starts it: a delivery, the wait for quiet, a healing. Each may be run again at any time
and then goes on where it was."""

import json
import logging

from bot.attempts import RunRef, ref_of
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from bot.store.repo import repos_of
from bot.world import RepoWorld, Worlds
from handlers.events import AnyEvent, Installed, Repo, SuiteSettled, Uninstalled
from handlers.intake import parse_event
from handlers.ports import Refused, Run

log = logging.getLogger("heal.work")
_UNFINISHED = ("gathering", "running")


class Work:
    """Every method gives the seconds to wait before it should be called again, or None when it is done."""

    def __init__(self, database: Database, worlds: Worlds, quiet_seconds: float) -> None:
        self.deliveries = Deliveries(database)
        self._database = database
        self._worlds = worlds
        self._quiet_seconds = quiet_seconds

    async def delivery(self, guid: str) -> float | None:
        """Lets the handlers hear one delivery. What goes wrong is kept in its row, and raised."""
        row = await self.deliveries.get(guid)
        if row is None or row.state in ("done", "failed"):
            return None
        try:
            event = parse_event(row.event, json.loads(row.body))
            if event is not None:
                await self._hear(event, guid)
        except Refused as refusal:
            if refusal.retry_after is not None:
                return refusal.retry_after
            await self.deliveries.failed(guid, str(refusal))
            raise
        except Exception as error:
            await self.deliveries.failed(guid, f"{type(error).__name__}: {error}")
            raise
        await self.deliveries.done(guid)
        return None

    async def _hear(self, event: AnyEvent, guid: str) -> None:
        from handlers import router

        if isinstance(event, Installed):
            return  # nothing to do until something fails
        if isinstance(event, Uninstalled):
            for repo_id in event.repo_ids or await repos_of(self._database, event.installation_id):
                await self._worlds.store(repo_id).forget_repo()
            return
        if isinstance(event, SuiteSettled):
            await self._worlds.store(event.repo.id, event.repo.full_name).settle(event.sha, event.check_suite_id)
        async with self._worlds.open(event.installation_id, event.repo, f"delivery/{guid}") as world:
            await router.handle(event, world)

    async def gather(self, ref: RunRef) -> float | None:
        """Waits for the failures of an attempt to be complete (IN-3)."""
        store = self._worlds.store(ref.repo_id, ref.full_name)
        return await store.close_gathering(ref.sha, ref.attempt, self._quiet_seconds) or None

    async def end_gathering(self, ref: RunRef) -> None:
        """Ends it now, however fresh the last failure is."""
        await self._worlds.store(ref.repo_id, ref.full_name).close_gathering(ref.sha, ref.attempt, float("-inf"))

    async def lane(self, ref: RunRef) -> str:
        """Runs with the same lane go one after another: those of one pull request, else of one commit."""
        run = await self._worlds.store(ref.repo_id, ref.full_name).run(ref.sha, ref.attempt)
        return f"{ref.repo_id}/{ref.sha if run is None or run.number is None else run.number}"

    async def healing(self, ref: RunRef) -> float | None:
        """Heals one attempt, unless it is finished or nobody wants it any more. An unexpected end is stored as
        `stopped`, and raised."""
        store = self._worlds.store(ref.repo_id, ref.full_name)
        run = await store.run(ref.sha, ref.attempt)
        if run is None or run.state not in _UNFINISHED:
            return None
        repo = Repo(id=ref.repo_id, full_name=ref.full_name)
        try:
            async with self._worlds.open(ref.installation_id, repo, ref.key) as world:
                await _heal(world, run)
        except Refused as refusal:
            if refusal.retry_after is None:
                raise
            return refusal.retry_after
        return None


async def _heal(world: RepoWorld, run: Run) -> None:
    from handlers import healing_run

    try:
        await healing_run.execute(world, run)
    except Refused as refusal:
        if refusal.retry_after is None:
            await _stop(world, run)
        raise
    except Exception:
        await _stop(world, run)
        raise


async def _stop(world: RepoWorld, run: Run) -> None:
    """After something that nobody foresaw: the run ends, and its check run says so instead of spinning for ever."""
    from handlers.healing_run import give_up

    try:
        await give_up(world, run, ref_of(run).key)
    except Refused:
        log.warning("the check run of %s could not be ended", ref_of(run).key, exc_info=True)
