"""What all conversations of a session share because it is slow to make: a proven sandbox, the tools, and the results of
checks, which are the same for the same tree and command (CK-3)."""

import asyncio
import hashlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bot.contexts import RepoSite
from bot.runs.engine import Engine
from bot.runs.healer import RepoHealer
from bot.runs.healers import RealHealers
from bot.settings import Settings
from handlers.model import Healer
from healing.environment.toolchain import Toolchain
from healing.model import content_id
from healing.process.owner import Owner
from healing.process.shell import Completed
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.probe import Probe, probe
from healing.steps import Json
from lab.localhub.machines import Machines, own_machines
from tests.remembering import Remembering
from tests.toolchains import laid_out, memory

CACHES = frozenset((".git", "__pycache__", ".pytest_cache", ".ruff_cache"))
READS_HISTORY = re.compile(r"\bgit\b|GITHUB_SHA")


class Clock:
    """Stands still until it is moved. It starts today, because GitHub wants the App's signed word to be of today."""

    def __init__(self) -> None:
        self.at = float(int(time.time()))
        self.meanwhile: Callable[[], Awaitable[None]] | None = None  # what happens while Heal waits

    def __call__(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds
        if self.meanwhile is not None:
            await self.meanwhile()


@dataclass
class LocalMachine:
    """One for the session. `folder` is a place that the sandbox's user can pass through."""

    folder: Path
    probed: Probe
    toolchain: Toolchain
    machines: Machines
    results: dict[str, Json] = field(default_factory=dict)
    done: dict[str, Completed] = field(default_factory=dict)  # CI's steps that ran, see `Ticking`

    @property
    def sandbox(self) -> Sandbox:
        assert self.probed.sandbox is not None, f"no sandbox works on this machine: {self.probed.tried}"
        return self.probed.sandbox

    def without_sandbox(self) -> "LocalMachine":
        """The same on a machine where no sandbox works."""
        return replace(self, probed=replace(self.probed, sandbox=None))

    def healers(self, settings: Settings, fresh: bool) -> "Prepared":
        """Heal's own healers, with what is there already. `fresh`: no result of a check is remembered."""
        return Prepared(settings, self, fresh)


class Prepared(RealHealers):
    """The real ones, but sandbox and tools are not looked for anew. To be closed by whoever made it."""

    def __init__(self, settings: Settings, local_machine: LocalMachine, fresh: bool) -> None:
        super().__init__(settings)
        probed = None if settings.sandbox == "unsafe" else local_machine.probed
        self._engine = Engine(settings, _probe=probed, _toolchain=local_machine.toolchain)
        self._results = None if fresh else local_machine.results

    def __call__(self, site: RepoSite) -> Healer:
        made = super().__call__(site)
        assert isinstance(made, RepoHealer)
        steps, results = made.steps, self._results
        return made if results is None else replace(made, steps=lambda key: Remembering(steps(key), results, made.git))


@contextmanager
def open_local_machine() -> Iterator[LocalMachine]:
    """Makes it, and removes its folder at the end. Not pytest's tmp_path, which the sandbox's user can't enter."""
    folder = Path(tempfile.mkdtemp(prefix="heal-conversation-", dir=memory()))
    folder.chmod(0o711)
    try:
        probed = asyncio.run(probe(folder))
        owner = probed.sandbox.owner if probed.sandbox else None
        # Heal's machine in this world has the tools that the organisation's own have: nothing in there installs them.
        tools = laid_out(folder, owner)
        assert probed.sandbox is not None, f"no sandbox works on this machine: {probed.tried}"
        yield LocalMachine(folder, probed, replace(tools, bare=None), own_machines(probed.sandbox, tools))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Ticking:
    """CI's sandbox: every command takes a second of the clock in hand, so that steps of CI have times.

    With `done` a step that leaves everything as it was, as linters and tests do, runs once for all worlds that share
    it: the same command among the same files says the same."""

    inner: Sandbox
    clock: Clock
    done: dict[str, Completed] | None = None

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def promises(self) -> frozenset[str]:
        return self.inner.promises

    @property
    def owner(self) -> Owner | None:
        return self.inner.owner

    @property
    def own_loopback(self) -> bool:
        return self.inner.own_loopback

    @property
    def layered(self) -> bool:
        return False

    async def run(self, job: Job) -> Completed:
        self.clock.at += 1
        before = None if self.done is None or job.network or READS_HISTORY.search(job.argv[-1]) else _files_of(job)
        if self.done is None or before is None:
            return await self.inner.run(job)
        tools = [str(folder) for folder in job.readable if folder.parent != job.root.parent]  # without git's objects
        name = content_id(list(job.argv), dict(job.env), tools, before)
        if name not in self.done:
            completed = await self.inner.run(job)
            unlike = _files_of(job) != before or str(job.root).encode() in completed.output
            if unlike or completed.exit_code is None:  # what was stopped at a limit says nothing of the files
                return completed
            self.done[name] = completed
        return self.done[name]

    def inside(self, root: Path) -> Any:
        return self.inner.inside(root)


def _files_of(job: Job) -> str | None:
    """What lies in a job's worktree and home, but for caches; None where a tool was installed, or can't be read."""
    if job.home is None or (job.home / ".heal").exists():
        return None
    seen = hashlib.sha256()
    try:
        for root in (job.root, job.home):
            for path in sorted(path for path in root.rglob("*") if CACHES.isdisjoint(path.relative_to(root).parts)):
                status = path.lstat()
                held = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
                link = os.readlink(path) if path.is_symlink() else ""
                seen.update(f"{path.relative_to(root)}\0{status.st_mode}\0{link}\0{len(held)}\0".encode() + held)
    except OSError:
        return None
    return seen.hexdigest()
