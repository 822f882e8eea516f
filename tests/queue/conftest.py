"""A clone with real branches, and a queue at work on it."""

import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from healing.git.branches import Branches
from healing.verify.queue.merge_queue import MergeQueue
from healing.verify.queue.records import RecordsInMemory, RecordStore
from healing.verify.queue.session import Agent, QueueLimits
from healing.verify.queue.session_records import SessionRecords
from healing.verify.queue.validation import Validation
from tests.git.oracle import commit_files, git, new_clone, word

BASE = {"a.txt": b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt": b"b\n", "src/c.py": b"x = 1\n"}


@dataclass
class Clone:
    """A person's clone; the integration branch is never checked out in it."""

    at: Path
    base: str = ""

    def __post_init__(self) -> None:
        self.base = new_clone(self.at, BASE)

    def commit(self, branch: str, files: dict[str, bytes], message: str = "work", start: str = "") -> str:
        """A commit on a branch, made where it isn't there."""
        there = word(self.at, "branch", "--list", branch)
        git(self.at, "checkout", "-q", *(() if there else ("-b",)), branch, *(() if there else (start or self.base,)))
        made = commit_files(self.at, files, message)
        git(self.at, "checkout", "-q", "main")
        return made

    def show(self, branch: str, path: str) -> bytes:
        return git(self.at, "show", f"{branch}:{path}")

    def log(self, branch: str) -> list[str]:
        """Subjects along first parents, the oldest first, without the base's."""
        return word(self.at, "log", "--first-parent", "--reverse", "--format=%s", f"{self.base}..{branch}").splitlines()


@dataclass
class Clock:
    """Unix time that a test moves."""

    at: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.at


@dataclass
class Desk:
    """A queue with short words for a test."""

    clone: Clone
    queue: MergeQueue
    clock: Clock
    branches: Branches
    ledger: RecordStore = field(default_factory=RecordsInMemory)

    async def joins(self, name: str, session: str = "s") -> Agent:
        await self.queue.begin(session, "main")
        return await self.queue.register(session, name, f"agent/{session}/{name}", "")

    async def proposes(self, name: str, files: dict[str, bytes], session: str = "s", message: str = "") -> Agent:
        """Joins, commits on top of the base, hands in."""
        agent = await self.joins(name, session)
        self.clone.commit(agent.branch, files, message or name, agent.base)
        return await self.queue.enqueue(session, name)

    async def restarts(self, limits: QueueLimits | None = None, validation: Validation | None = None) -> None:
        await self.queue.close()
        self.queue = await started(self.branches, self.ledger, self.clock, limits, validation)


async def started(
    branches: Branches, ledger: RecordStore, clock: Clock, limits: QueueLimits | None, validation: Validation | None
) -> MergeQueue:
    queue = MergeQueue(branches, SessionRecords(ledger, clock, limits or QueueLimits()), validation)
    await queue.start()
    return queue


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    if not shutil.which("git"):
        pytest.skip("agents from outside have git; install Debian's git")
    return Clone(tmp_path / "clone")


@pytest.fixture
def branches(clone: Clone) -> Iterator[Branches]:
    with Branches.of(clone.at) as found:
        yield found


@pytest_asyncio.fixture
async def desk(clone: Clone, branches: Branches) -> AsyncIterator[Desk]:
    ledger, clock = RecordsInMemory(), Clock()
    desk = Desk(clone, await started(branches, ledger, clock, None, None), clock, branches, ledger)
    yield desk
    await desk.queue.close()
