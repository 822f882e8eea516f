"""One of several workers on a PostgreSQL, without GitHub: `python -m tests.bot.laborer FOLDER URL NAME`.

It heals by stored steps that take a while; each leaves a line in FOLDER/paid: who, which run, which step. Other lines
say when a run begins and ends. It works until it is told to end.
"""

import asyncio
import signal
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

from bot.contexts import Contexts
from bot.durable.engine import DurableEngine
from bot.durable.taking_over import SilentWorkerWatch, taking_over
from bot.durable.work import Work
from bot.lease import Lease, end_process, hold_lease
from bot.settings import Settings
from bot.store.attempts import RunRef
from bot.store.database import Database
from bot.store.run_queue import RunLimits
from bot.store.steps import StoredSteps
from bot.store.workers import Workers
from tests.bot.hub import no_healer

LIMIT = 20.0  # seconds of silence
STEPS, STEP_SECONDS = 5, 0.4


class Labour(Work):
    """Work whose healing is some steps that cost time."""

    def __init__(self, folder: Path, name: str, database: Database, contexts: Contexts, lease: Lease) -> None:
        super().__init__(database, contexts, quiet_seconds=0, limits=RunLimits(of_a_repo=99))
        self.folder, self.name, self.database, self.contexts, self.lease = folder, name, database, contexts, lease

    async def healing(self, ref: RunRef, waited: int = 0) -> float | None:
        store = self.contexts.store(ref.repo_id, ref.full_name)
        run = await store.run(ref.sha, ref.attempt)
        if run is None or run.state == "done":
            return None
        self.write(ref, "begins")
        steps = StoredSteps(self.database, ref.repo_id, ref.sha, time.time)
        async with self.lease.locks.hold(ref.repo_id, "lane", run.number or 0):
            for number in range(STEPS):
                await steps.run("step", number, partial(self.pay, ref, str(number)))
            await self.lease.check()
            self.write(ref, "posts")
            await store.save_run(run.model_copy(update={"state": "done"}))
        self.write(ref, "ends")
        return None

    async def pay(self, ref: RunRef, step: str) -> str:
        await self.lease.check()
        self.write(ref, step)
        await asyncio.sleep(STEP_SECONDS)
        return self.name

    def write(self, ref: RunRef, what: str) -> None:
        with (self.folder / "paid").open("a") as paid:
            paid.write(f"{self.name} {ref.sha[0]} {what}\n")


async def main(folder: Path, url: str, name: str) -> None:
    settings = Settings(data=folder / name, database_url=url)
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    database = await Database.open(settings.store_url)
    workers, queue = Workers(database, time.time), DurableEngine(name, 2, poll=0.1)
    with suppress(asyncio.CancelledError):
        async with hold_lease(database, workers, name, LIMIT, end_process) as lease:
            contexts = Contexts(settings, database, queue, no_healer, lease=lease)
            work = Labour(folder, name, database, contexts, lease)
            queue.bind(work)
            await queue.launch()
            try:
                async with taking_over(SilentWorkerWatch(workers, lease)):
                    (folder / f"{name}.ready").touch()
                    while True:
                        await work.ask_turns()
                        await asyncio.sleep(0.3)
            finally:
                await queue.close()
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
