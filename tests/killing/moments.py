"""When something happens to Heal: at an instant that a seed has drawn, as its peers or its books see it."""

import asyncio
import contextlib
import random
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.killing.process import HealProcess
from tests.killing.stage import Stage
from tests.model_standin.replies import Body

DOOR = "^/to-heal$"
NOT_THE_DOOR = "^(?!/to-heal$)"  # a delivery that hangs would say nothing of Heal
LOOK = 0.02  # seconds between looks into the books
WHAT = {
    "a request arrives": 12,  # and the most of them that may come before
    "a request is done": 12,
    "a delivery is answered": 4,
    "a model is asked": 2,
    "a model has answered": 2,
    "a step is stored": 8,
    "seconds": 0,
}
_STEPS = "SELECT count(*) FROM steps"


@dataclass(frozen=True)
class Moment:
    """The `number`-th time that something happens from now on; but at the latest when this share of the time has
    passed that an undisturbed play takes. `seconds` is by time alone."""

    what: str
    number: int
    share: float

    def __str__(self) -> str:
        return f"{self.what} {self.number}" if self.number else f"{self.share:.2f} of the time"

    async def comes(self, stage: Stage, longest: float, hit: Callable[[], Awaitable[None]]) -> None:
        """Waits for it, and hits in that instant: who called Heal's peer has no answer yet."""
        done, begun = asyncio.Event(), False

        async def once(*_: object) -> None:
            nonlocal begun
            if not begun:
                begun = True
                await hit()
                done.set()

        async with self._armed(stage, once):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(done.wait(), self.share * longest)
        await once()
        await done.wait()

    @asynccontextmanager
    async def _armed(self, stage: Stage, once: Callable[..., Awaitable[None]]) -> AsyncIterator[None]:
        faults, alone = stage.github.faults, isinstance(stage.heal, HealProcess)
        match self.what:
            case "a request arrives" if alone:
                faults.hang("*", NOT_THE_DOOR, callback=once, nth=self.number)
            case "a request arrives":
                faults.before("*", NOT_THE_DOOR, once, nth=self.number)
            case "a request is done":
                faults.after("*", NOT_THE_DOOR, once, nth=self.number)
            case "a delivery is answered":
                faults.after("POST", DOOR, once, nth=self.number)
            case "a model is asked":
                stage.model.before = self._counting(once)
            case "a model has answered":
                stage.model.after = self._counting(once)
        looking = asyncio.create_task(self._look(stage, once)) if self.what == "a step is stored" else None
        try:
            yield
        finally:
            faults.clear()
            stage.model.before = stage.model.after = None
            if looking is not None:
                looking.cancel()

    def _counting(self, once: Callable[..., Awaitable[None]]) -> Callable[[Body, int], Awaitable[None]]:
        left = self.number

        async def count(_: Body, __: int) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                await once()

        return count

    async def _look(self, stage: Stage, once: Callable[..., Awaitable[None]]) -> None:
        begun: int | None = None
        while True:
            with contextlib.suppress(sqlite3.OperationalError):  # the first migration isn't done
                ((stored,),) = stage.heal.rows(_STEPS)
                begun = stored if begun is None else begun
                if stored >= begun + self.number:
                    await asyncio.shield(asyncio.ensure_future(once()))
                    return
            await asyncio.sleep(LOOK)


def moment(rng: random.Random, alone: bool) -> Moment:
    """One of all. The books of a server are not looked into: that would take longer than a step."""
    what = rng.choice([name for name in WHAT if alone or name != "a step is stored"])
    return Moment(what, rng.randint(1, WHAT[what]) if WHAT[what] else 0, rng.uniform(0.005, 0.4))
