"""What all conversations of a session share because it is slow to make: a proven sandbox, the tools, and the results of
checks, which are the same for the same tree and command (CK-3)."""

import asyncio
import shutil
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
from healing.process.owner import Owner
from healing.process.shell import Completed
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.probe import Probe, probe
from healing.steps import Json
from lab.localhub.machines import Machines, own_machines
from tests.remembering import Remembering
from tests.toolchains import laid_out, memory


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
    """A sandbox in which every command takes a second of the clock in hand, so that steps of CI have times."""

    inner: Sandbox
    clock: Clock

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
        return await self.inner.run(job)

    def inside(self, root: Path) -> Any:
        return self.inner.inside(root)
