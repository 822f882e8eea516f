"""The durable engine: DBOS on SQLite or PostgreSQL starts our work, waits for it, and resumes it after a crash.

A workflow's body holds nothing that must be remembered: it calls `work`, whose results are rows and stored steps,
and is simply run again. Work that has to wait ends its workflow and is queued again, for later, so that it keeps nobody
from working. DBOS records nothing inside, so a replay can never disagree with it.
"""

import asyncio
import contextvars
import importlib
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from bot.durable.attempts import RunRef
from bot.durable.cluster_tasks import ClusterTask
from bot.durable.debouncer import Debouncer
from bot.durable.inbox_worker import InboxWorker
from bot.durable.lease import end_process
from bot.durable.retry import with_retry
from bot.durable.work import Work
from bot.store.database import IDLE_SECONDS
from bot.store.held_session import LeaseLost
from bot.store.turns import Turn
from bot.store.workers import Workers
from handlers.ports import Run

# Of the workflows' names and arguments: as long as it is the same, unfinished work is resumed by newer code too.
VERSION = "1"
HEALING, CLUSTERS = "healing", "clusters"
_CLUSTER_TASKS, _CLUSTER_TASKS_OF_A_RUN = 8, 4  # at once on one worker: the rest of a run's are for other workers
_UNDER_WAY = ("ENQUEUED", "DELAYED", "PENDING")
_POLL = 0.25  # seconds between looks for what is to be done
_RARER = 4  # as long between looks for cluster tasks, which take minutes
_STOP_POLL_SECONDS = 5.0  # seconds between looks whether the operator's stop was lifted
_LAST_WRITES = 2  # seconds for DBOS to note what has just ended
_MOST_WAITS = 60  # in a row, before a healing is given up
_OVER = ["SUCCESS", "ERROR", "CANCELLED"]
_AT_ONCE = 500  # workflows that are deleted
_FIRST = 1  # the priority of what has begun already: it goes before everything that has not
_AGAIN = "~"  # in a workflow's id, before the number of waits

log = logging.getLogger("heal.workflows")


class DurableQueue:
    """`handlers.ports.Enqueue` on DBOS, and a worker's ears. `runs_at_once` is for one worker. `executor` names the
    worker, the same after a restart: it resumes its own work at once."""

    def __init__(self, url: str, runs_at_once: int = 2, executor: str = "heal", poll: float = _POLL) -> None:
        self._url = url
        self._runs_at_once = runs_at_once
        self.executor = executor
        self._poll = poll
        self._work: Work | None = None
        self._flows: dict[str, Callable[..., Any]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False
        self._inbox_worker: InboxWorker | None = None
        self._debouncer: Debouncer | None = None

    def bind(self, work: Work) -> None:
        """The work comes after the queue, because handlers get the queue."""
        self._work = work

    async def launch(self) -> None:
        """Starts the engine in the running loop; unfinished work of an earlier process goes on by itself."""
        with ThreadPoolExecutor(1) as aside:  # it takes seconds; meanwhile the worker's beats go on
            await asyncio.get_running_loop().run_in_executor(aside, importlib.import_module, "dbos")
        from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer

        config: DBOSConfig = {
            "name": "heal",
            "system_database_url": _impatient(self._url),
            "application_version": VERSION,
            "executor_id": self.executor,
            "serializer": DBOSPortableJSONSerializer(),
            "log_level": "WARNING",
            "enable_otlp": False,
        }
        DBOS(config=config)
        self._flows = {
            HEALING: DBOS.workflow(name="heal")(self._function(self._heal)),
            CLUSTERS: DBOS.workflow(name="cluster")(self._function(self._cluster)),
        }
        DBOS.launch()
        await DBOS.register_queue_async(
            HEALING,
            worker_concurrency=self._runs_at_once,
            partition_concurrency=None,  # whose turn it is is decided before (bot/store/turns.py)
            polling_interval_sec=self._poll,
            on_conflict="always_update",
        )
        await DBOS.register_queue_async(
            CLUSTERS,
            worker_concurrency=_CLUSTER_TASKS,
            partition_worker_concurrency=_CLUSTER_TASKS_OF_A_RUN,  # a run is a partition; they come in random order
            polling_interval_sec=_RARER * self._poll,
            on_conflict="always_update",
        )
        self._listen()

    async def close(self) -> None:
        """Stops taking work. What is under way is broken off as by a crash: the next start resumes it."""
        from dbos import DBOS

        self._closing = True
        under_way = list(self._tasks)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True, workflow_completion_timeout_sec=_LAST_WRITES)

    def notify(self) -> None:
        """A delivery was stored in this process: it is taken at once, not only at the next look."""
        if self._inbox_worker is not None:
            self._inbox_worker.notify()

    async def healing(self, run: Run) -> None:
        """See `Enqueue`: that the run gathers, or may be over gathering, is in its row already."""
        self._look()

    def _look(self) -> None:
        if self._debouncer is not None:
            self._debouncer.notify()

    def _listen(self) -> None:
        """Begins to work off what is stored."""
        work = self._bound()
        self._inbox_worker = InboxWorker(work, self.executor, self._poll)
        self._debouncer = Debouncer(work, self.start, self._poll)
        for part in (self._inbox_worker, self._debouncer):
            task = asyncio.create_task(part.again_and_again())
            self._tasks.add(task)
            task.add_done_callback(_log_failure)

    async def start(self, turns: tuple[Turn, ...]) -> None:
        """Heals the runs whose turn it is. Doing it twice starts them once."""
        for turn in turns:
            await self._enqueue(HEALING, turn.ref.key, turn.ref.model_dump_json(), turn.due)

    async def cluster_task(self, cluster_task: ClusterTask) -> None:
        """Has it done by whichever worker has room, once, and waits until that is over, however it went."""
        await _with_retry(
            lambda: self._enqueue(CLUSTERS, cluster_task.key, cluster_task.model_dump_json(), of=cluster_task.run.key)
        )
        while await _with_retry(lambda: self._under_way(cluster_task.key)):  # noqa: ASYNC110 -- another process does it
            await asyncio.sleep(self._poll)

    async def _under_way(self, workflow_id: str) -> bool:
        from dbos import DBOS

        asked: dict[str, Any] = {"workflow_ids": [workflow_id], "load_input": False, "load_output": False}
        return any(flow.status in _UNDER_WAY for flow in await DBOS.list_workflows_async(**asked))

    async def catch_up(self) -> None:
        """Starts what whoever should have done it did not live to: also all that has begun, in case that the engine's
        database is younger than ours."""
        work = self._bound()
        await work.ask_turns()
        await self.start((*await work.turns.begun(), *await work.begin_turns()))

    async def resume_of(self, living: frozenset[str]) -> tuple[str, ...]:
        """Queues again what workers that don't live had begun. Gives the workflows' ids."""
        from dbos import DBOS

        begun = await _outside(DBOS.list_workflows_async(status="PENDING", load_input=False, load_output=False))
        left = [flow for flow in begun if flow.executor_id not in living]
        for flow in left:
            await _outside(DBOS.resume_workflow_async(flow.workflow_id, queue_name=flow.queue_name))
        return tuple(flow.workflow_id for flow in left)

    async def forget(self, before: float) -> int:
        """Deletes the workflows that were over before that time (Unix, seconds). Gives how many."""
        from dbos import DBOS

        day, gone = datetime.fromtimestamp(before, UTC).isoformat(), 0
        asked: dict[str, Any] = {"status": _OVER, "completed_before": day, "limit": _AT_ONCE}
        asked |= {"load_input": False, "load_output": False}
        while old := await _outside(DBOS.list_workflows_async(**asked)):
            await _outside(DBOS.delete_workflows_async([flow.workflow_id for flow in old]))
            gone += len(old)
        return gone

    async def _enqueue(
        self,
        queue: str,
        workflow_id: str,
        argument: str,
        priority: int | None = None,
        delay: float | None = None,
        of: str | None = None,
    ) -> None:
        """Starts a workflow once, in `delay` seconds: an id that is taken already changes nothing. The smaller the
        priority, the sooner; `of` is the queue's partition."""
        from dbos import DBOS, SetEnqueueOptions, SetWorkflowID

        async def start() -> None:
            options = SetEnqueueOptions(priority=priority, delay_seconds=delay, queue_partition_key=of)
            with SetWorkflowID(workflow_id), options:
                await DBOS.enqueue_workflow_async(queue, self._flows[queue], argument)

        await _outside(start())

    async def _heal(self, reference: str) -> None:
        ref, work = RunRef.model_validate_json(reference), self._bound()
        try:
            given_up = await self._later(reference, lambda waited: work.healing(ref, waited))
        except Exception:
            await self._end(ref)
            raise
        if given_up is None:
            return
        if given_up:
            await _outside(work.no_healing(ref))
        await self._end(ref)

    async def _cluster(self, cluster_task: str) -> None:
        await _outside(self._bound().cluster_task(ClusterTask.model_validate_json(cluster_task)))

    async def _end(self, ref: RunRef) -> None:
        """The run is over, and it is the next one's turn."""
        await _with_retry(lambda: self._bound().turns.end(ref))
        self._look()

    async def _later(self, argument: str, act: Callable[[int], Awaitable[float | None]]) -> bool | None:
        """Works; where that has to wait, it is queued again for then, and None given. True where it has waited too
        often. LeaseLost leaves the workflow as it is, for anyone who takes it over."""
        from dbos import DBOS

        name, _, number = str(DBOS.workflow_id).partition(_AGAIN)
        waited = int(number or 0)
        # The operator's stop is no wait of the work's own: it isn't counted, however long it lasts.
        while await _with_retry(self._bound().stopped):  # noqa: ASYNC110 -- another process may lift it
            await asyncio.sleep(_STOP_POLL_SECONDS)
        wait = await _outside(act(waited))
        if wait is None:
            return False
        if waited >= _MOST_WAITS:
            log.error("%s has waited %d times in a row; it is given up", name, waited)
            return True
        await self._enqueue(HEALING, f"{name}{_AGAIN}{waited + 1}", argument, _FIRST, max(wait, self._poll))
        return None

    def _function(self, method: Callable[[str], Awaitable[None]]) -> Callable[[str], Awaitable[None]]:
        """A plain function, as DBOS writes attributes on what it registers. A workflow that is cancelled in here stays
        unfinished for DBOS, so that the next start resumes it."""

        async def workflow(argument: str) -> None:
            task = asyncio.current_task()
            if self._closing or task is None:
                raise asyncio.CancelledError
            self._tasks.add(task)
            try:
                await method(argument)
            except LeaseLost:
                raise asyncio.CancelledError from None
            finally:
                self._tasks.discard(task)

        return workflow

    def _bound(self) -> Work:
        assert self._work is not None, "bind the work first"
        return self._work


@dataclass(frozen=True)
class QueuedClusterTasks:
    """`bot.durable.cluster_tasks.ClusterTasks` among all workers on one database."""

    queue: DurableQueue
    workers: Workers

    async def others(self) -> bool:
        return len(await self.workers.all()) > 1

    async def run(self, cluster_task: ClusterTask) -> None:
        await self.queue.cluster_task(cluster_task)


def _impatient(url: str) -> str:
    """The address, with the server asked to end transactions that a stopped process has left open."""
    if url.startswith("sqlite") or "options=" in url:
        return url
    option = quote(f"-c idle_in_transaction_session_timeout={IDLE_SECONDS}s")
    return f"{url}{'&' if '?' in url else '?'}options={option}"


async def _outside(coroutine: Awaitable[Any]) -> Any:
    """Awaits in a context that knows no workflow: what handlers start is nobody's child, so a replay that takes
    another path through them can't disagree with what was recorded."""

    async def run() -> Any:
        return await coroutine

    return await asyncio.create_task(run(), context=contextvars.Context())


async def _with_retry(act: Callable[[], Awaitable[Any]]) -> Any:
    """Outside, again and again while the database is gone."""
    return await with_retry(lambda: _outside(act()))


def _log_failure(task: "asyncio.Task[None]") -> None:
    """What looks for work may not end by itself: else nothing would be done, and nobody would know."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.critical("no delivery can be processed any more; this process has to end", exc_info=error)
        end_process()
