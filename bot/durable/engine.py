"""The durable engine: the work to do is rows of Heal's store, from which every worker takes.

There are three kinds of rows: deliveries, runs, and cluster tasks of a run. All state is in the store: rows that a
process was working on when it died are taken again, and find their results among the durable steps. Tests and one-off
commands step the same engine by hand.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.cluster_tasks import ClusterTask
from bot.durable.queue import Consumer, Queue, Wakeup
from bot.durable.retry import with_retry
from bot.durable.work import Work
from bot.lease import end_process
from bot.store.cluster_tasks import ClusterTaskRows, TaskKey
from bot.store.held_session import LeaseLost
from bot.store.workers import Workers
from handlers.model import Run

DELIVERY, RUN, CLUSTER_TASK = "delivery", "run", "cluster task"
DELIVERIES_AT_ONCE, CLUSTER_TASKS_AT_ONCE = 16, 8  # on one worker
CLUSTER_TASKS_OF_A_RUN = 4  # on one worker: the rest of a run's tasks are for other workers
# With the pauses between attempts, a delivery is given up after an hour, a run after more than four.
DELIVERY_STARTS, RUN_STARTS = 21, 61
POLL = 0.25  # poll interval in seconds for rows stored by other processes
_RARER = 4  # factor of the poll interval for work that takes minutes
_GATHERING_POLL = 2.0  # poll interval in seconds for attempts whose debounce window may end
_SHARE = 20  # that polling may take up to 1/20 of the time
_MAX_STEPS = 10_000

WarmUp = Callable[[], Coroutine[Any, Any, None]]

log = logging.getLogger("heal.engine")


class DurableEngine:
    """`handlers.model.Enqueue`, and the loops of this worker. `worker` is its name, the same after a restart;
    `runs_at_once` limits the runs of this worker. `stepped`: nothing happens until `drain` is called, and waits use the
    clock of `Work`."""

    def __init__(self, worker: str = "heal", runs_at_once: int = 2, poll: float = POLL, stepped: bool = False) -> None:
        self.worker = worker
        self._runs_at_once = runs_at_once
        self._poll = poll
        self._stepped = stepped
        self._work: Work | None = None
        self._warm_up: WarmUp | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._consumers: dict[str, Consumer[Any]] = {}  # by the queue's name
        self._gathering = Wakeup()

    def bind(self, work: Work, warm_up: WarmUp | None = None) -> None:
        """Sets the work; separate from the constructor because the work's handlers need the engine. `warm_up` is called
        once, beside the first debounce window, to do what the first run would wait for."""
        self._work = work
        self._warm_up = warm_up

    async def launch(self) -> None:
        """Starts working in the running event loop, also on rows left by an earlier process."""
        if self._stepped:
            return
        for queue in self._queues():
            poll = self._poll if queue.name == DELIVERY else _RARER * self._poll
            self._consumers[queue.name] = Consumer(queue, poll)
        for part in (self._gather_loop(), *(consumer.run_forever() for consumer in self._consumers.values())):
            self._tasks.append(asyncio.create_task(part))
            self._tasks[-1].add_done_callback(_end_with)

    async def close(self) -> None:
        """Stops working. Running work is cancelled as by a crash: the next start resumes it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def notify(self) -> None:
        """Signals that this process stored a delivery, so that it is taken at once and not at the next poll."""
        if DELIVERY in self._consumers:
            self._consumers[DELIVERY].notify()

    async def healing(self, run: Run) -> None:
        """See `Enqueue`. The run's row has its state already; this only wakes the loop that ends debounce windows."""
        if self._warm_up is not None and not self._stepped:
            self._tasks.append(asyncio.create_task(self._warm_up()))
            self._warm_up = None
        self._gathering.notify()

    async def drain(self, most: int = _MAX_STEPS) -> None:
        """Does all pending work and the work that it causes: first all deliveries, then the next run; debounce windows
        end at once. Raises what the work raises."""
        for _ in range(most):
            if await self._bound().stopped() or not await self._step():
                return
        raise AssertionError(f"the queues aren't empty after {most} steps: something queues itself")

    async def idle(self) -> bool:
        """Whether there is no work left."""
        work = self._bound()
        return not (await work.deliveries.waiting("stored", "queued") or await work.run_queue.any())

    async def _step(self) -> bool:
        """Does one piece of work; returns False if there is none."""
        work = self._bound()
        for queue in self._queues():
            for taken in await queue.take(1, ()):
                wait = await queue.handle(taken)
                if wait is not None:
                    await work.rest(wait)
                return True
        for ref in (await work.gathered(at_once=True))[:1]:
            await work.gather(ref, at_once=True)
            return True
        return False

    def _queues(self) -> tuple[Queue[Any], ...]:  # each has its own type of key
        """Returns the queues in the order in which they are stepped."""
        work, me = self._bound(), self.worker
        tasks = work.cluster_tasks

        async def nothing(_key: object, *_seconds: float) -> None:
            """Does nothing: a delivery's end is in its row already, and a cluster task never waits."""

        return (
            Queue(
                DELIVERY, DELIVERIES_AT_ONCE, DELIVERY_STARTS, lambda most, _: work.take(me, most),
                partial(work.deliveries.give_back, me), work.delivery, work.put_off, work.no_delivery, nothing,
            ),
            Queue(
                RUN, self._runs_at_once, RUN_STARTS, lambda most, _: work.take_runs(me, most),
                partial(work.run_queue.give_back, me), work.healing, work.put_off_run, work.no_healing,
                work.run_queue.end,
            ),
            Queue(
                CLUSTER_TASK, CLUSTER_TASKS_AT_ONCE, RUN_STARTS,
                lambda most, in_hand: tasks.take(me, most, in_hand, CLUSTER_TASKS_OF_A_RUN),
                partial(tasks.give_back, me), work.stored_cluster_task, nothing, nothing, tasks.end,
            ),
        )  # fmt: skip

    async def _gather_loop(self) -> None:
        """Ends the debounce windows of complete attempts, until cancelled. Every worker polls their rows, so an attempt
        that was missed, after a crash or by another worker, is found by the next poll."""
        try:
            while True:
                self._gathering.read()
                began = time.monotonic()
                wait = await with_retry(self._gather)
                took = time.monotonic() - began
                rest = max(self._poll, min(_SHARE * took, _GATHERING_POLL))
                await asyncio.sleep(rest)
                await self._gathering.within(max(wait - rest, 0.0))
        except LeaseLost:
            return

    async def _gather(self) -> float:
        """Ends the debounce windows that are over. Returns the seconds until the next one may be, at most those of the
        poll interval, since other workers store failures too."""
        work = self._bound()
        waits = [await work.gather(ref) for ref in await work.gathered()]
        if None in waits:
            self._consumers[RUN].notify()
        return min([_GATHERING_POLL, *(wait for wait in waits if wait is not None)])

    def _bound(self) -> Work:
        assert self._work is not None, "bind the work first"
        return self._work


@dataclass(frozen=True)
class SharedClusterTasks:
    """`bot.cluster_tasks.ClusterTasks` shared by all workers on one database."""

    rows: ClusterTaskRows
    workers: Workers
    poll: float = POLL

    async def others(self) -> bool:
        return len(await self.workers.all()) > 1

    async def run(self, cluster_task: ClusterTask) -> None:
        """Queues the task, once, and waits until it is over, whether it succeeded or not."""
        run = cluster_task.run
        key = TaskKey(run.repo_id, run.sha, run.attempt, cluster_task.order)
        await with_retry(partial(self.rows.ask, key, cluster_task.model_dump_json()))
        while not await with_retry(partial(self.rows.over, key)):  # noqa: ASYNC110 -- another process does it
            await asyncio.sleep(self.poll)


def _end_with(task: "asyncio.Task[None]") -> None:
    """Ends the process if one of its loops fails: otherwise it would stay alive without doing any work."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.critical("nothing can be processed any more; this process has to end", exc_info=error)
        end_process()
