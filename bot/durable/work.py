"""The units of work: processing a delivery, ending a debounce window, a run, a cluster task. Each may be started again
at any time and continues where it was."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from pydantic import TypeAdapter

from bot import __version__
from bot.cluster_tasks import ClusterTask
from bot.contexts import Contexts, RepoContext
from bot.durable.retry import DATABASE_GONE
from bot.store.accounts import StoredAccounts
from bot.store.attempts import RunRef, ref_of
from bot.store.cluster_tasks import ClusterTaskRows, TaskKey
from bot.store.database import Database
from bot.store.deliveries import DASHBOARD, Deliveries, Delivery, TakenDelivery
from bot.store.held_session import LeaseLost
from bot.store.run_queue import RunLimits, RunQueue, TakenRun, enqueue_in
from bot.store.switches import Stop
from handlers.events import AnyEvent, AskedOfCommit, AskedOnDashboard, Installed, Repo, Uninstalled
from handlers.intake import parse_event
from handlers.model import UNFINISHED, Refused, Run
from handlers.runs.finding import default_branch_of
from healing.git.errors import Unreachable
from healing.spans import span

log = logging.getLogger("heal.work")
_FIRST_PAUSE, _MAX_PAUSE = 2.0, 300.0  # seconds between attempts while GitHub or the database is unreachable
DEFAULT = RunLimits()


class RetryLater(Exception):
    """Something that the work needs (`what`) is temporarily unavailable: do it again after `seconds`."""

    def __init__(self, seconds: float, what: str, why: str) -> None:
        super().__init__(why)
        self.seconds = seconds
        self.what = what


class Work:
    """Methods that do work return the seconds to wait before they should be called again, or None when done. `waited`
    counts the earlier waits."""

    def __init__(
        self, database: Database, contexts: Contexts, quiet_seconds: float, limits: RunLimits = DEFAULT
    ) -> None:
        self.deliveries = Deliveries(database)
        self.run_queue = RunQueue(database, limits)
        self.cluster_tasks = ClusterTaskRows(database, contexts.now)
        self._database = database
        self._contexts = contexts
        self._quiet_seconds = quiet_seconds
        self._accounts = StoredAccounts(database, contexts.store, contexts.now)
        self._waits_for: dict[str, RetryLater] = {}  # run's key → why this process last postponed it

    async def delivery(self, guid: str, waited: int = 0) -> float | None:
        """Passes one delivery to the handlers. An error is stored in its row, and raised."""
        try:
            async with _retrying(waited):
                row = await self.deliveries.get(guid)
                if row is None or row.state in ("done", "failed"):
                    return None
                event = _event_of(row)
                if event is not None:
                    await self._handle(event, guid, waited)
                await self.deliveries.done(guid)
        except RetryLater as later:
            return later.seconds
        except LeaseLost:
            raise
        except Exception as error:
            text = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"
            await self.deliveries.failed(guid, text)
            raise
        return None

    async def stopped(self) -> bool:
        """Whether the operator has stopped Heal; then no work is started."""
        return await Stop(self._database, self._contexts.now).why() is not None

    async def rest(self, seconds: float) -> None:
        """Waits, with the clock of the contexts."""
        await self._contexts.rest(seconds)

    async def take(self, worker: str, most: int) -> tuple[TakenDelivery, ...]:
        """Takes deliveries to process now; none while the operator has stopped Heal."""
        return () if await self.stopped() else await self.deliveries.take(worker, most, self._contexts.now())

    async def take_runs(self, worker: str, most: int) -> tuple[TakenRun, ...]:
        """Takes runs to start now; none while the operator has stopped Heal."""
        return () if await self.stopped() else await self.run_queue.take(worker, most, self._contexts.now())

    async def put_off_run(self, ref: RunRef, seconds: float) -> None:
        """Postpones the run by `seconds`; it keeps its concurrency key."""
        await self.run_queue.later(ref, self._contexts.now() + seconds)

    async def put_off(self, guid: str, seconds: float) -> None:
        """Postpones the delivery by `seconds`."""
        await self.deliveries.later(guid, self._contexts.now() + seconds)

    async def no_delivery(self, guid: str) -> None:
        """Gives the delivery up: marks it as failed, so that GitHub can deliver it again."""
        await self.deliveries.failed(guid, "it was started again and again, and never came to its end")

    async def _handle(self, event: AnyEvent, guid: str, waited: int = 0) -> None:
        from handlers import router
        from handlers.apologies import apologise

        if isinstance(event, Installed | Uninstalled):
            await router.handle_account(event, self._accounts)
            return
        async with self._contexts.open(event.installation_id, event.repo, f"delivery/{guid}") as context:
            try:
                await router.handle(event, context)
            except LeaseLost:
                raise
            except Exception as error:
                if _wait_for(error, waited) is None:
                    await apologise(event, guid, context)
                raise

    async def gathered(self, at_once: bool = False) -> tuple[RunRef, ...]:
        """Returns the attempts for which `gather` should be called now; `at_once`: even if their last failures are
        recent."""
        return await self.run_queue.gathered(self._contexts.now(), float("-inf") if at_once else self._quiet_seconds)

    async def gather(self, ref: RunRef, at_once: bool = False) -> float | None:
        """Ends the debounce window of an attempt and queues its run, if its failures are complete; returns the seconds
        still to wait, or None."""
        store = self._contexts.store(ref.repo_id, ref.full_name)
        run = await store.run(ref.sha, ref.attempt)
        if run is None or run.state != "gathering":
            return None
        waited_for = default_branch_of(await store.failures(ref.sha, ref.attempt), ref.repo_id) is None
        asks = partial(
            enqueue_in, ref=ref, concurrency_key=_concurrency_key(run), now=self._contexts.now(), waited_for=waited_for
        )
        quiet = float("-inf") if at_once else self._quiet_seconds
        return await store.end_debouncing(ref.sha, ref.attempt, quiet, asks) or None

    async def ask_turns(self) -> None:
        """Queues runs that should be in the queue but aren't, as in a store from before there was a queue."""
        for ref in await self.run_queue.missing():
            run = await self._contexts.store(ref.repo_id, ref.full_name).run(ref.sha, ref.attempt)
            if run is not None:
                await self.run_queue.enqueue(ref, _concurrency_key(run), self._contexts.now(), waited_for=True)

    async def healing(self, ref: RunRef, waited: int = 0) -> float | None:
        """Executes one attempt's run, unless it is finished or superseded. After an unexpected error the run is stored
        as `stopped`, and the error is raised."""
        repo = Repo(id=ref.repo_id, full_name=ref.full_name)
        try:
            async with _retrying(waited):
                run = await self._contexts.store(ref.repo_id, ref.full_name).run(ref.sha, ref.attempt)
                if run is None or run.state not in UNFINISHED:
                    return None
                async with self._contexts.open(ref.installation_id, repo, ref.key) as context:
                    await _heal(context, run, waited)
        except RetryLater as later:
            self._waits_for[ref.key] = later
            return later.seconds
        except LeaseLost:
            raise
        except Exception:
            from handlers.comments import refusals

            await self._mark_stopped(ref, refusals.unreachable("GitHub or Heal's database"))
            raise
        self._waits_for.pop(ref.key, None)
        return None

    async def stored_cluster_task(self, key: TaskKey, _started: int) -> None:
        """Executes a row of `cluster_tasks`."""
        body = await self.cluster_tasks.body(key)
        if body is not None:
            await self.cluster_task(ClusterTask.model_validate_json(body))

    async def cluster_task(self, cluster_task: ClusterTask) -> None:
        """Executes a cluster task of another worker's run, if that run is unfinished and of the same version of Heal.
        Raises what the engine raises."""
        ref = cluster_task.run
        run = await self._contexts.store(ref.repo_id, ref.full_name).run(ref.sha, ref.attempt)
        if run is None or run.state not in UNFINISHED or cluster_task.heal != __version__:
            return
        repo = Repo(id=ref.repo_id, full_name=ref.full_name)
        async with self._contexts.open(ref.installation_id, repo, cluster_task.key) as context:
            await context.cluster_tasks.run_cluster_task(cluster_task)
        await self._contexts.check_lease()  # otherwise another worker has the task by now, and it isn't over

    async def no_healing(self, ref: RunRef) -> None:
        """Gives the run up: ends it, with a report on GitHub if possible."""
        from handlers.comments import refusals

        run = await self._contexts.store(ref.repo_id, ref.full_name).run(ref.sha, ref.attempt)
        if run is not None and run.state in UNFINISHED:
            repo = Repo(id=ref.repo_id, full_name=ref.full_name)
            last = self._waits_for.pop(ref.key, None)  # none: it waited for nothing, or not in this process
            why = refusals.never_ended() if last is None else refusals.unreachable(last.what, str(last))
            try:
                async with self._contexts.open(ref.installation_id, repo, ref.key) as context:
                    await _stop(context, run, why)
            except Refused as refusal:
                log.warning("%s is given up, and GitHub can't be updated: %s", ref.key, refusal)
            await self._mark_stopped(ref, why)

    async def _mark_stopped(self, ref: RunRef, why: str) -> None:
        """Stores the run as stopped, even if nothing could be posted on GitHub: `sweeping` completes the check runs of
        finished runs."""
        store = self._contexts.store(ref.repo_id, ref.full_name)
        run = await store.run(ref.sha, ref.attempt)
        if run is not None and run.state in UNFINISHED:
            await store.save_run(run.model_copy(update={"state": "stopped", "reason": why}))


_ASKED: TypeAdapter[AskedOnDashboard | AskedOfCommit] = TypeAdapter(AskedOnDashboard | AskedOfCommit)


def _event_of(row: Delivery) -> AnyEvent | None:
    """Returns the event in a stored row: a webhook of GitHub's, or a form of the dashboard."""
    if row.event == DASHBOARD:
        return _ASKED.validate_json(row.body)
    return parse_event(row.event, json.loads(row.body))


def _concurrency_key(run: Run) -> str:
    """Returns the run's concurrency key. Runs with the same key are executed one after another: those of one pull
    request, else of one commit."""
    return f"{run.repo_id}/{run.sha if run.number is None else run.number}"


@asynccontextmanager
async def _retrying(waited: int) -> AsyncIterator[None]:
    """Raises RetryLater for temporary errors: GitHub's rate limits, and an unreachable GitHub or database."""
    try:
        yield
    except (Refused, Unreachable, ExceptionGroup, *DATABASE_GONE) as error:
        wait = _wait_for(error, waited)
        if wait is None:
            raise
        log.warning("retrying in %.0f s: %s", wait, error)
        raise RetryLater(wait, _gone(error), str(error)) from error


def _gone(error: Exception) -> str:
    """What can't be reached."""
    if isinstance(error, ExceptionGroup):
        return " and ".join(dict.fromkeys(_gone(one) for one in error.exceptions))
    return "Heal's database" if isinstance(error, DATABASE_GONE) else "GitHub"


def _wait_for(error: Exception, waited: int) -> float | None:
    """Returns the seconds after which a retry may succeed; None if waiting doesn't help."""
    if isinstance(error, ExceptionGroup):
        waits = [_wait_for(inner, waited) for inner in error.exceptions]
        return max((wait for wait in waits if wait is not None), default=None)
    if isinstance(error, Refused) and error.retry_after is not None:
        return error.retry_after
    if isinstance(error, (*DATABASE_GONE, Unreachable)) or (isinstance(error, Refused) and error.status >= 500):
        return min(_FIRST_PAUSE * 2.0 ** min(waited, 16), _MAX_PAUSE)
    return None


async def _heal(context: RepoContext, run: Run, waited: int) -> None:
    from handlers.comments import answers
    from handlers.runs import healing_run

    try:
        with span("run", repository_id=run.repo_id, sha=run.sha, attempt=run.attempt):
            await healing_run.execute(context, run)
    except LeaseLost:
        raise
    except Exception as error:
        if _wait_for(error, waited) is None:
            await _stop(context, run, answers.apology(ref_of(run).key, "run"))
        raise


async def _stop(context: RepoContext, run: Run, text: str) -> None:
    """Ends the run after an unexpected error, and completes its check run with `text`. If GitHub refuses that now, it
    is written later (`sweeping`)."""
    from handlers.runs.healing_run import give_up

    try:
        await give_up(context, run, text)
    except Refused:
        log.warning("the check run of %s could not be ended", ref_of(run).key, exc_info=True)
