"""The durable engine: rows of Heal's own store are what is to be done, and every worker takes from them.

Three kinds of rows: deliveries, runs and tasks of a run's clusters. Nothing that must be remembered is anywhere else:
what a process had in hand when it died is taken again, and finds its results among the durable steps. Tests and
one-off commands step the same engine by hand.
"""

import asyncio
import logging
import time
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
CLUSTER_TASKS_OF_A_RUN = 4  # on one worker: the rest of a run's are for other workers
# By then a delivery has waited for an hour, a run for more than four.
DELIVERY_STARTS, RUN_STARTS = 21, 61
POLL = 0.25  # seconds between looks for what other processes stored
_RARER = 4  # as long between looks for what takes minutes
_GATHERING_POLL = 2.0  # seconds between looks for attempts that are complete
_SHARE = 20  # looking for those may take this part of the time
_MOST_STEPS = 10_000

log = logging.getLogger("heal.engine")


class DurableEngine:
    """`handlers.model.Enqueue`, and all that this worker does. `worker` is its name, the same after a restart;
    `runs_at_once` is for this worker. `stepped`: nothing happens until `drain` is called, and waits pass by the clock
    in hand."""

    def __init__(self, worker: str = "heal", runs_at_once: int = 2, poll: float = POLL, stepped: bool = False) -> None:
        self.worker = worker
        self._runs_at_once = runs_at_once
        self._poll = poll
        self._stepped = stepped
        self._work: Work | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._consumers: dict[str, Consumer[Any]] = {}  # by the queue's name
        self._gathering = Wakeup()

    def bind(self, work: Work) -> None:
        """The work comes after the engine, because handlers get the engine."""
        self._work = work

    async def launch(self) -> None:
        """Begins to work in the running loop, on what an earlier process left too."""
        if self._stepped:
            return
        for queue in self._queues():
            poll = self._poll if queue.name == DELIVERY else _RARER * self._poll
            self._consumers[queue.name] = Consumer(queue, poll)
        for part in (self._gather_again_and_again(), *(one.again_and_again() for one in self._consumers.values())):
            self._tasks.append(asyncio.create_task(part))
            self._tasks[-1].add_done_callback(_end_with)

    async def close(self) -> None:
        """Stops working. What is under way is broken off as by a crash: the next start resumes it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def notify(self) -> None:
        """A delivery was stored in this process: it is taken at once, not only at the next look."""
        if DELIVERY in self._consumers:
            self._consumers[DELIVERY].notify()

    async def healing(self, run: Run) -> None:
        """See `Enqueue`: that the run gathers, or may be over gathering, is in its row already."""
        self._gathering.notify()

    async def drain(self, most: int = _MOST_STEPS) -> None:
        """Does all that is to be done and what that causes: all deliveries first, then the run whose turn it is, and
        gatherings end by this. Raises what the work raises."""
        for _ in range(most):
            if await self._bound().stopped() or not await self._step():
                return
        raise AssertionError(f"the queues aren't empty after {most} steps: something queues itself")

    async def idle(self) -> bool:
        """Whether there is nothing left to do."""
        work = self._bound()
        return not (await work.deliveries.waiting("stored", "queued") or await work.run_queue.any())

    async def _step(self) -> bool:
        """Does one thing; False where there is none."""
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

    def _queues(self) -> tuple[Queue[Any], ...]:  # each has keys of its own
        """In the order in which they are stepped."""
        work, me = self._bound(), self.worker
        tasks = work.cluster_tasks

        async def nothing(_key: object, *_seconds: float) -> None:
            """A delivery's end is in its row already, and a task never waits."""

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

    async def _gather_again_and_again(self) -> None:
        """Ends the gathering of attempts that are complete: their rows are looked at by every worker, so whatever is
        missed, by a crash or by another worker, the next look finds."""
        try:
            while True:
                self._gathering.read()
                began = time.monotonic()
                await with_retry(self._gather)
                took = time.monotonic() - began
                await asyncio.sleep(max(self._poll, min(_SHARE * took, _GATHERING_POLL)))
                await self._gathering.within(_GATHERING_POLL)
        except LeaseLost:
            return

    async def _gather(self) -> None:
        work = self._bound()
        ended = [await work.gather(ref) is None for ref in await work.gathered()]
        if any(ended):
            self._consumers[RUN].notify()

    def _bound(self) -> Work:
        assert self._work is not None, "bind the work first"
        return self._work


@dataclass(frozen=True)
class SharedClusterTasks:
    """`bot.cluster_tasks.ClusterTasks` among all workers on one database."""

    rows: ClusterTaskRows
    workers: Workers
    poll: float = POLL

    async def others(self) -> bool:
        return len(await self.workers.all()) > 1

    async def run(self, cluster_task: ClusterTask) -> None:
        """Has it done once, and waits until that is over, however it went."""
        run = cluster_task.run
        key = TaskKey(run.repo_id, run.sha, run.attempt, cluster_task.order)
        await with_retry(partial(self.rows.ask, key, cluster_task.model_dump_json()))
        while not await with_retry(partial(self.rows.over, key)):  # noqa: ASYNC110 -- another process does it
            await asyncio.sleep(self.poll)


def _end_with(task: "asyncio.Task[None]") -> None:
    """What looks for work may not end by itself: else nothing would be done, and nobody would know."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.critical("nothing can be processed any more; this process has to end", exc_info=error)
        end_process()
