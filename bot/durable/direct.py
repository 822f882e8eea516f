"""The engine that is stepped by hand: for tests and one-off commands. Nothing happens until `drain` is called, and
waits pass by the clock in hand."""

from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

from bot.durable.attempts import RunRef, ref_of
from bot.durable.work import Work
from handlers.ports import Run

_MOST_WAITS = 60


class DirectQueue:
    """`handlers.ports.Enqueue` in memory, in order; what goes wrong is raised by `drain`."""

    def __init__(self) -> None:
        self._work: Work | None = None
        self._deliveries: deque[str] = deque()
        self._runs: deque[RunRef] = deque()
        self._started: set[tuple[str, int]] = set()

    def bind(self, work: Work) -> None:
        """The work comes after the queue, because handlers get the queue."""
        self._work = work

    def notify(self) -> None:
        """`drain` looks by itself."""

    async def healing(self, run: Run) -> None:
        ref = ref_of(run)
        if self._first(ref.key, 0):
            self._runs.append(ref)

    def _first(self, name: str, tries: int) -> bool:
        fresh = (name, tries) not in self._started
        self._started.add((name, tries))
        return fresh

    @property
    def idle(self) -> bool:
        """Whether there is nothing left to do."""
        return not (self._deliveries or self._runs)

    async def drain(self, most: int = 10_000) -> None:
        """Does all that is queued and what that queues in turn: all deliveries first, then the oldest run, whose
        gathering ends by this. Raises what the work raises."""
        assert self._work is not None, "bind the work first"
        for _ in range(most):
            await self._take_stored(self._work)
            if self.idle or await self._work.stopped():
                return
            if self._deliveries:
                guid = self._deliveries.popleft()
                if not await self._done(partial(self._work.delivery, guid)):
                    self._deliveries.appendleft(guid)
            elif not await self._healed(self._work, run := self._runs.popleft()):
                self._runs.appendleft(run)
        raise AssertionError(f"the queue isn't empty after {most} steps: something queues itself")

    async def _take_stored(self, work: Work) -> None:
        for row in await work.deliveries.waiting("stored", "queued"):
            if self._first(row.guid, row.tries):
                self._deliveries.append(row.guid)

    async def _healed(self, work: Work, ref: RunRef) -> bool:
        await work.end_gathering(ref)
        return await self._done(partial(work.healing, ref))

    async def _done(self, act: Callable[[], Awaitable[float | None]]) -> bool:
        """Waits where GitHub asks to; False where the operator stopped Heal meanwhile: then it is still to be done."""
        assert self._work is not None, "bind the work first"
        for _ in range(_MOST_WAITS):
            wait = await act()
            if wait is None:
                return True
            if await self._work.stopped():
                return False
            await self._work.rest(wait)
        raise TimeoutError(f"GitHub's rate limit was still closed after {_MOST_WAITS} tries")
