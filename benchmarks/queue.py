"""The merge queue: 100 proposals into one branch, with every step stored in the database, as agents from outside do it.

Peer: the same 100 branches merged one after the other by `git merge --no-ff` in a clone, in the same run; what comes
out must be the same tree. Each proposal changes three files of 2,000, so nothing conflicts.
"""

import asyncio
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.shape import Goal, Result
from bot.store.database import Database
from bot.store.merge_queue import StoredQueueRecords
from healing.git.branches import Branches
from healing.verify.queue.merge_queue import MergeQueue
from healing.verify.queue.session import QueueLimits
from healing.verify.queue.session_records import SessionRecords

PROPOSALS, FILES, CHANGED = 100, 2000, 3


async def measure() -> Result:
    """Seconds for all proposals, and the ratio to git's."""
    room = Path(tempfile.mkdtemp(prefix="heal-benchmark-"))
    try:
        await asyncio.to_thread(_scene, room / "clone")
        await asyncio.to_thread(shutil.copytree, room / "clone", room / "peer")
        peer = await asyncio.to_thread(_by_git, room / "peer")
        enqueued, merged = await _by_queue(room)
        same = _tree(room / "clone", "heal/s") == _tree(room / "peer", "integration")
    finally:
        await asyncio.to_thread(shutil.rmtree, room)
    whole = enqueued + merged
    rows = [
        _row("git merge --no-ff, one after the other (peer)", peer, peer),
        _row("queue: register and hand in", enqueued, peer),
        _row("queue: merge", merged, peer),
        _row("queue: whole", whole, peer),
    ]
    goals = [
        Goal("100 proposals, ratio to sequential git merges", "<= 1", round(whole / peer, 3), whole <= peer),
        Goal("the same tree as git's", "1", float(same), same),
    ]
    return Result("queue", seed=0, rows=rows, goals=goals, packages=("dulwich", "sqlalchemy"))


def _row(what: str, seconds: float, peer: float) -> dict[str, object]:
    return {"what": what, "seconds": round(seconds, 3), "ratio to git": round(seconds / peer, 3)}


def _scene(clone: Path) -> None:
    clone.mkdir()
    _git(clone, "init", "-q", "-b", "main")
    for number in range(FILES):
        place = clone / f"pkg{number % 40}" / f"module{number}.py"
        place.parent.mkdir(exist_ok=True)
        place.write_text("".join(f"line_{n} = {n}\n" for n in range(60)))
    _git(clone, "add", "-A")
    _git(clone, "commit", "-q", "-m", "start")
    for number in range(PROPOSALS):
        _git(clone, "checkout", "-q", "-b", f"agent/{number}", "main")
        for change in range(CHANGED):
            place = clone / f"pkg{(number * CHANGED + change) % 40}" / f"module{number * CHANGED + change}.py"
            place.write_text(place.read_text().replace("line_30 = 30\n", f"line_30 = {1000 + number}\n"))
        _git(clone, "commit", "-q", "-a", "-m", f"Change {number}")
    _git(clone, "checkout", "-q", "main")


def _by_git(clone: Path) -> float:
    _git(clone, "checkout", "-q", "-b", "integration", "main")
    began = time.perf_counter()
    for number in range(PROPOSALS):
        _git(clone, "merge", "-q", "--no-ff", "-m", f"Change {number}", f"agent/{number}")
    return time.perf_counter() - began


async def _by_queue(room: Path) -> tuple[float, float]:
    """Seconds to hand all in, and from then until the last is merged."""
    database = await Database.open(f"sqlite+aiosqlite:///{room / 'heal.db'}")
    with Branches(room / "clone/.git") as branches:
        session_records = SessionRecords(StoredQueueRecords(database, 1), time.time, QueueLimits(agents=PROPOSALS))
        queue = MergeQueue(branches, session_records)
        await queue.start()
        began = time.perf_counter()
        await queue.begin("s", "main")
        for number in range(PROPOSALS):
            await queue.register("s", f"a{number}", f"agent/{number}", "")
            await queue.enqueue("s", f"a{number}")
        handed_in = time.perf_counter()
        for number in range(PROPOSALS):
            agent = await queue.wait("s", f"a{number}")
            assert agent.state == "MERGED", agent
        ended = time.perf_counter()
        await queue.close()
    await database.close()
    return handed_in - began, ended - handed_in


def _tree(clone: Path, branch: str) -> str:
    return _git(clone, "rev-parse", f"{branch}^{{tree}}")


def _git(clone: Path, *words: str) -> str:
    who = ("-c", "user.name=N", "-c", "user.email=n@example.test", "-c", "gc.auto=0")
    done = subprocess.run(["git", *who, *words], cwd=clone, capture_output=True, text=True, check=True)
    return done.stdout.strip()
