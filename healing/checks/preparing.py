"""Set-up steps that have a network: jobs of their own before the check, which has none (WT-5).

What leading steps install is kept beside the run's base, the home and what was written in the worktree, and laid under
every check that would install the same (WT-2): as layers, or where there is no overlay as copies. The other steps run
in each check's own worktree.
"""

import asyncio
import os
import secrets
import shlex
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from healing.checks.check import WORKSPACE, Check, Script
from healing.checks.driver import NOTHING, driven
from healing.checks.fetching import fetching
from healing.checks.installing import inputs
from healing.checks.recognising import installs
from healing.gitio import Git
from healing.gitio.laying import NotLayable, lay_over, set_aside
from healing.model import content_id
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.layers import Layers
from healing.sandbox.network import SetupNetwork
from healing.sandbox.owner import hand_over
from healing.sandbox.removal import remove_tree
from healing.shell import Completed
from healing.toolchain import Toolchain
from healing.worktrees import Worktree, Worktrees

FETCHED_ONLY = b"for a fork only wheels and packages are fetched, and none of its code runs meanwhile: "
FILE_BYTES = 2 << 30  # of one file that a set-up step may download


@dataclass(frozen=True)
class Ground:
    """What a check stands on: a home, and what set-up steps wrote in the worktree. `failed`: how a set-up step ended
    that did not work; then the rest is of no use."""

    home: Path | None = None
    home_layers: Layers | None = None
    between: Path | None = None
    failed: Completed | None = None

    def placed(self, job: Job) -> Job:
        """The job as it is to be run on it."""
        layers = replace(job.layers, between=self.between) if job.layers else None
        return replace(job, home=self.home, home_layers=self.home_layers, layers=layers)


def with_network(check: Check) -> tuple[Script, ...]:
    """The set-up steps that are run with a network: all, but where the check has servers beside it, only those to the
    last that installs something: what comes after it may need the servers, and they are there for the check alone."""
    if not check.servers:
        return check.setup
    last = max((at for at, one in enumerate(check.setup, 1) if one.provides or installs(one)), default=0)
    return check.setup[:last]


@dataclass
class Preparing:
    """Prepares the checks of one run. `env` is what every one of their jobs has. `prebuilt_only`: the code is a
    stranger's, so set-up steps run without the network, after what they install was fetched (IN-5)."""

    run_id: str
    git: Git
    worktrees: Worktrees
    sandbox: Sandbox
    toolchain: Toolchain
    network: SetupNetwork
    env: dict[str, str]
    limits: Limits
    prebuilt_only: bool = False
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)
    _failed: dict[str, Completed] = field(default_factory=dict)

    @asynccontextmanager
    async def ground(self, check: Check, worktree: Worktree) -> AsyncIterator[Ground]:
        """The ground for one check in a fresh worktree; gone afterwards."""
        scripts = with_network(check)
        once = self._shared(scripts, worktree)
        place = worktree.root.parent / f"setup-{secrets.token_hex(4)}"
        try:
            layer = await self._layer(once, worktree) if once else None
            if isinstance(layer, Completed):
                yield Ground(failed=layer)
                return
            once = once if layer else ()
            ground = await asyncio.to_thread(self._ground, place, layer, worktree)
            done = await self._run(scripts[len(once) :], worktree, ground, before=len(once))
            yield replace(ground, failed=done) if done and done.exit_code != 0 else ground
        finally:
            await asyncio.to_thread(remove_tree, place)

    def _shared(self, scripts: tuple[Script, ...], worktree: Worktree) -> tuple[Script, ...]:
        """The leading steps whose results can be taken over from the run's base."""
        here, base = self.git.view(worktree.tree), self.git.view(worktree.base_tree)
        count = next((at for at, one in enumerate(scripts) if inputs([one], here) is None), len(scripts))
        if self.prebuilt_only and count < len(scripts):
            return ()  # all is fetched first, into a fresh home
        once = scripts[:count]
        return once if inputs(once, here) == inputs(once, base) else ()

    async def _layer(self, scripts: tuple[Script, ...], worktree: Worktree) -> Path | Completed | None:
        """The folder with what these steps made on the run's base; or how the one ended that failed; None where what
        they made can't be laid over anything else."""
        layers = worktree.layers
        base = layers.lower if layers else await self.worktrees.base(self.run_id, self.git, worktree.base_tree)
        read = inputs(scripts, self.git.view(worktree.base_tree))
        key = content_id(
            [s.text() for s in scripts], read, self.network.reach(), self.toolchain.python, self.prebuilt_only
        )
        made = base.parent / "prepared" / key
        async with self._locks.setdefault(key, asyncio.Lock()):
            if key not in self._failed and not made.is_dir():
                done = await self._prepare(scripts, worktree.base_tree, base, made)
                if done.exit_code != 0:
                    self._failed[key] = done
        return self._failed.get(key, made if made.is_dir() else None)

    async def _prepare(self, scripts: tuple[Script, ...], tree: str, base: Path, made: Path) -> Completed:
        layered = self.sandbox.layered
        async with self.worktrees.worktree(self.run_id, "setup", self.git, tree, layered) as worktree:
            place = worktree.root.parent / "prepared"
            ground = await asyncio.to_thread(self._ground, place, None, worktree)
            done = await self._run(scripts, worktree, ground)
            assert done is not None
            if done.exit_code == 0:
                await asyncio.to_thread(self._keep, worktree, base, place, made)
            return done

    def _keep(self, worktree: Worktree, base: Path, place: Path, made: Path) -> None:
        """Moves what was made to its place, in one step. Another process may have been quicker with the same."""
        self._passage(made.parent)
        if worktree.layers:
            os.rename(worktree.root, place / "files")
        else:
            try:
                set_aside(worktree.root, base, place / "files", self.sandbox.owner)
            except (NotLayable, OSError):
                return
        with suppress(OSError):
            os.rename(place, made)

    def _ground(self, place: Path, layer: Path | None, worktree: Worktree) -> Ground:
        self._passage(place)
        home = self._folder(place / "home")
        if layer is None:
            self.toolchain.lay_over(home, self.sandbox.owner)
            return Ground(home)
        if worktree.layers is None:
            base = layer.parent.parent / "files"
            lay_over(layer / "home", home, None, self.sandbox.owner)
            lay_over(layer / "files", worktree.root, base, self.sandbox.owner)
            return Ground(home)
        work, joined = self._folder(place / "work"), self._folder(place / "joined")
        return Ground(home, Layers(layer / "home", work, joined), layer / "files")

    def _passage(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        folder.chmod(0o711)

    def _folder(self, path: Path) -> Path:
        path.mkdir(mode=0o755)
        hand_over(path, self.sandbox.owner)
        return path

    async def _run(
        self, scripts: tuple[Script, ...], worktree: Worktree, ground: Ground, before: int = 0
    ) -> Completed | None:
        """Runs set-up steps, as far as they may with the network. None: there are none."""
        if not scripts:
            return None
        inside = self.sandbox.inside(worktree.root)
        told = [script.text().replace(WORKSPACE, inside) for script in scripts]
        if not self.prebuilt_only:
            return await self._job(told, worktree, ground, before, self.network)
        fetches = list(fetching(scripts, self.git.view(worktree.tree)))
        fetches = [f"HEAL_PYTHON={shlex.quote(self.toolchain.python)}\n{text}" for text in fetches]
        fetched = await self._job(fetches, worktree, ground, before, self.network) if fetches else None
        if fetched and fetched.exit_code != 0:
            return replace(fetched, output=FETCHED_ONLY + fetched.output)
        return await self._job(told, worktree, ground, before, None)

    async def _job(
        self, told: Sequence[str], worktree: Worktree, ground: Ground, before: int, network: SetupNetwork | None
    ) -> Completed:
        argv = driven(NOTHING, "", told, before)
        limits = replace(self.limits, file_bytes=FILE_BYTES)
        job = Job(argv, worktree.root, env=self.env, readable=self.toolchain.readable, limits=limits, reports=True)
        return await self.sandbox.run(ground.placed(replace(worktree.placed(job), network=network)))
