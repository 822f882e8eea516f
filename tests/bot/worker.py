"""A worker that kills itself where it is told to: `python -m tests.bot.worker FOLDER [gathering|between|inside]`.

It heals by three stored steps, each of which leaves a line in FOLDER/paid, and ends when the run is done.
"""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

from bot.contexts import Contexts
from bot.durable.engine import DurableEngine
from bot.durable.work import Work
from bot.settings import Settings
from bot.store.attempts import RunRef
from bot.store.database import Database
from bot.store.steps import StoredSteps

SHA = "a" * 40


class DyingWork(Work):
    """Work whose healing is three steps."""

    def __init__(self, folder: Path, database: Database, contexts: Contexts, die: str) -> None:
        super().__init__(database, contexts, quiet_seconds=0.5)
        self.folder = folder
        self.die = die
        self.store = contexts.store(7, "octo/demo")
        self.steps = StoredSteps(database, 7, "run", time.time)
        self.finished = asyncio.Event()

    def dies(self, where: str) -> None:
        if self.die == where:
            os.kill(os.getpid(), signal.SIGKILL)

    async def gather(self, ref: RunRef) -> float | None:
        wait = await super().gather(ref)
        self.dies("gathering")
        return wait

    async def healing(self, ref: RunRef, waited: int = 0) -> float | None:
        for name in ("one", "two", "three"):
            await self.steps.run("model", name, lambda name=name: self.pay(name))
            if name == "one":
                self.dies("between")
        run = await self.store.run(ref.sha, ref.attempt)
        assert run is not None
        await self.store.save_run(run.model_copy(update={"state": "done"}))
        self.finished.set()
        return None

    async def pay(self, name: str) -> str:
        with (self.folder / "paid").open("a") as paid:
            paid.write(f"{name}\n")
        if name == "two":
            self.dies("inside")
        return name


async def main(folder: Path, die: str) -> None:
    settings = Settings(data=folder)
    database = await Database.open(settings.store_url)
    queue = DurableEngine(poll=0.05)
    work = DyingWork(folder, database, Contexts(settings, database, queue, lambda site: NotImplemented), die)
    queue.bind(work)
    await queue.launch()
    if die:  # only the first life is told of the failure; the second one has to know by itself
        run = await work.store.open_attempt("check_run:1", 5, SHA, {"name": "lint"})
        await queue.healing(run)
    async with asyncio.timeout(30):
        await work.finished.wait()
    await queue.close()
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""))
