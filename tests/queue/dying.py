"""Plays a whole session again and again, each time in a child that is killed one step later, then once to the end.

Run as `python -m tests.queue.dying CLONE`, where CLONE has the branches one, two and three. Prints a JSON object for
each play: the step at which the child died (null: it lived), and what branch and books say after the second life.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bot.store.database import Database
from bot.store.merge_queue import StoredQueueRecords
from healing.git.branches import Branches
from healing.verify.queue.merge_queue import MergeQueue
from healing.verify.queue.records import Records
from healing.verify.queue.session import QueueLimits
from healing.verify.queue.session_records import SessionRecords

NAMES = ("one", "two", "three")


class Death:
    """Comes at the given step; never for None."""

    def __init__(self, at: int | None) -> None:
        self.left = at

    def step(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                os.kill(os.getpid(), signal.SIGKILL)


class MortalLedger:
    """A ledger that death may come to before and after each write."""

    def __init__(self, ledger: StoredQueueRecords, death: Death) -> None:
        self.ledger, self.death = ledger, death

    async def load(self) -> Mapping[str, Records]:
        return await self.ledger.load()

    async def save(self, session: str, records: Records) -> None:
        self.death.step()
        await self.ledger.save(session, records)
        self.death.step()


class MortalBranches(Branches):
    """Branches that death may come to before and after each move."""

    death = Death(None)

    def move(self, branch: str, new: str, expected: str | None) -> None:
        self.death.step()
        super().move(branch, new, expected)
        self.death.step()


async def life(clone: Path, death: Death) -> None:
    """One process: whatever was asked before is asked again."""
    database = await Database.open(f"sqlite+aiosqlite:///{clone.parent / 'heal.db'}")
    with MortalBranches.of(clone) as branches:
        branches.death = death
        queue = MergeQueue(
            branches, SessionRecords(MortalLedger(StoredQueueRecords(database, 1), death), lambda: 1.8e9, QueueLimits())
        )
        await queue.start()
        await queue.begin("s", "main")
        for name in NAMES:
            if name not in queue.session_records.session("s").agents:
                await queue.register("s", name, name, "")
            await queue.enqueue("s", name)
        for name in NAMES:
            await queue.wait("s", name)
        await queue.end_session("s")
        await queue.wait_session("s")
        await queue.close()
    await database.close()


async def ending(clone: Path) -> dict[str, object]:
    database = await Database.open(f"sqlite+aiosqlite:///{clone.parent / 'heal.db'}")
    session_records = SessionRecords(StoredQueueRecords(database, 1), lambda: 1.8e9, QueueLimits())
    await session_records.load()
    await database.close()
    session = session_records.session("s")
    with Branches.of(clone) as branches:
        tip = branches.tip("heal/s") or ""
        chain = branches.first_parents(tip, session.base) or ()
        log = [branches.git.message(sha).strip() for sha in reversed(chain)]
        paths = branches.git.view(tip).paths()
    stored = [merge.commit for merge in session.merges]
    states = {agent.id: agent.state for agent in session.agents.values()}
    same = stored == list(reversed(chain)) and session.tip == tip
    return {"log": log, "paths": paths, "states": states, "books": same, "verdict": session.verdict}


def play(clone: Path, at: int) -> dict[str, object]:
    first = live(clone, at)
    died = os.WIFSIGNALED(first)
    assert died or first == 0, f"the first life ended with {first}"
    assert live(clone, None) == 0, "the second life did not end well"
    return {"died": at if died else None, **asyncio.run(ending(clone))}


def live(clone: Path, at: int | None) -> int:
    """One life as a process of its own: how it ended, as waitpid tells it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            asyncio.run(life(clone, Death(at)))
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


async def migrate(file: Path) -> None:
    await (await Database.open(f"sqlite+aiosqlite:///{file}")).close()


def main() -> None:
    model = Path(sys.argv[1])
    asyncio.run(migrate(model.parent / "heal.db"))
    for at in range(200):
        room = Path(tempfile.mkdtemp(prefix="heal-dying-"))
        try:
            shutil.copytree(model, room / "clone")
            shutil.copy(model.parent / "heal.db", room)
            ended = play(room / "clone", at)
        finally:
            shutil.rmtree(room)
        print(json.dumps(ended), flush=True)
        if ended["died"] is None:
            return
    raise AssertionError("it never lived to the end")


if __name__ == "__main__":
    main()
