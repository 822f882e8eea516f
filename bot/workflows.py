"""The durable engine: DBOS on SQLite or PostgreSQL starts our work, waits for it, and resumes it after a crash.

A workflow's body holds nothing that must be remembered: it calls `bot.work`, whose results are rows and stored steps,
and is simply run again. The only thing that DBOS records inside is sleep, so a replay can never disagree with it.
"""

import asyncio
import contextvars
import logging
import os
from collections.abc import Awaitable, Callable
from typing import Any

from bot.attempts import RunRef, ref_of
from bot.work import Work
from handlers.ports import Run

# Of the workflows' names and arguments: as long as it is the same, unfinished work is resumed by newer code too.
VERSION = "1"
DELIVERIES, GATHERING, HEALING = "deliveries", "gathering", "healing"
_POLL = 0.25  # seconds between looks into a queue
_NAP = 2.0  # a gathering looks at least this often whether its suites have settled
_LAST_WRITES = 2  # seconds for DBOS to note what has just ended
_MOST_WAITS = 20  # rate limits in a row before a workflow gives up

log = logging.getLogger("heal.workflows")


class DurableQueue:
    """`handlers.ports.Enqueue` and `bot.inbox.Engine` on DBOS. `runs_at_once` is for this process."""

    def __init__(self, url: str, runs_at_once: int = 2, executor: str | None = None, poll: float = _POLL) -> None:
        self._url = url
        self._runs_at_once = runs_at_once
        self._executor = executor or os.environ.get("DYNO") or "heal"  # the same after a restart: it resumes its own
        self._poll = poll
        self._work: Work | None = None
        self._flows: dict[str, Callable[..., Any]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False

    def bind(self, work: Work) -> None:
        """The work comes after the queue, because handlers get the queue."""
        self._work = work

    async def launch(self) -> None:
        """Starts the engine in the running loop; unfinished work of an earlier process goes on by itself."""
        from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer

        config: DBOSConfig = {
            "name": "heal",
            "system_database_url": self._url,
            "application_version": VERSION,
            "executor_id": self._executor,
            "serializer": DBOSPortableJSONSerializer(),
            "log_level": "WARNING",
            "enable_otlp": False,
        }
        DBOS(config=config)
        self._flows = {
            DELIVERIES: DBOS.workflow(name="delivery")(self._function(self._delivery)),
            GATHERING: DBOS.workflow(name="gather")(self._function(self._gather)),
            HEALING: DBOS.workflow(name="heal")(self._function(self._heal)),
        }
        DBOS.launch()
        await DBOS.register_queue_async(DELIVERIES, worker_concurrency=8, polling_interval_sec=self._poll)
        await DBOS.register_queue_async(GATHERING, polling_interval_sec=self._poll)
        await DBOS.register_queue_async(
            HEALING,
            worker_concurrency=self._runs_at_once,
            partition_concurrency=1,  # runs of one pull request are serial (law 4)
            polling_interval_sec=self._poll,
        )

    async def close(self) -> None:
        """Stops taking work. What is under way is broken off as by a crash: the next start resumes it."""
        from dbos import DBOS

        self._closing = True
        under_way = list(self._tasks)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True, workflow_completion_timeout_sec=_LAST_WRITES)

    async def delivery(self, guid: str, tries: int) -> None:
        await self._enqueue(DELIVERIES, f"delivery/{guid}/{tries}", guid)

    async def healing(self, run: Run) -> None:
        ref = ref_of(run)
        await self._enqueue(GATHERING, f"gather/{ref.key}", ref.model_dump_json())

    async def _enqueue(self, queue: str, workflow_id: str, argument: str, partition: str | None = None) -> None:
        """Starts a workflow once: an id that is taken already changes nothing."""
        from dbos import DBOS, SetEnqueueOptions, SetWorkflowID

        async def start() -> None:
            with SetWorkflowID(workflow_id), SetEnqueueOptions(queue_partition_key=partition):
                await DBOS.enqueue_workflow_async(queue, self._flows[queue], argument)

        await _outside(start())

    async def _delivery(self, guid: str) -> None:
        await self._until_done(lambda: self._bound().delivery(guid))

    async def _gather(self, reference: str) -> None:
        ref = RunRef.model_validate_json(reference)
        while (wait := await _outside(self._bound().gather(ref))) is not None:
            await _sleep(min(wait, _NAP))
        lane = await _outside(self._bound().lane(ref))
        await self._enqueue(HEALING, ref.key, reference, partition=lane)

    async def _heal(self, reference: str) -> None:
        ref = RunRef.model_validate_json(reference)
        await self._until_done(lambda: self._bound().healing(ref))

    async def _until_done(self, work: Callable[[], Awaitable[float | None]]) -> None:
        for _ in range(_MOST_WAITS):
            wait = await _outside(work())
            if wait is None:
                return
            log.warning("GitHub asks to wait %.0f s", wait)
            await _sleep(wait)
        raise TimeoutError(f"GitHub's rate limit was still closed after {_MOST_WAITS} waits; nothing more is tried")

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
            finally:
                self._tasks.discard(task)

        return workflow

    def _bound(self) -> Work:
        assert self._work is not None, "bind the work first"
        return self._work


async def _outside(coroutine: Awaitable[Any]) -> Any:
    """Awaits in a context that knows no workflow: what handlers start is nobody's child, so a replay that takes
    another path through them can't disagree with what was recorded."""

    async def run() -> Any:
        return await coroutine

    return await asyncio.create_task(run(), context=contextvars.Context())


async def _sleep(seconds: float) -> None:
    from dbos import DBOS

    await DBOS.sleep_async(seconds)
