"""Set-up steps that have a network: jobs of their own before the check, which has none.

What leading steps install is kept, the home and what was written in the worktree, and laid under every check that would
install the same, also in other runs: as layers, or where there is no overlay as copies. The other steps
run in each check's own worktree.
"""

import asyncio
import os
import secrets
import shlex
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from healing.checks.check import WORKSPACE, Check, Script
from healing.checks.driver import NOTHING, driven
from healing.checks.installing import inputs
from healing.checks.recognising import installs
from healing.checks.setup_failure import with_reason
from healing.checks.sharing import machine, only_others_code
from healing.environment.toolchain import Toolchain
from healing.files.removal import remove_tree
from healing.git import Git
from healing.git.laying import NotLayable, lay_over, set_aside
from healing.model import content_id
from healing.process.owner import hand_over
from healing.process.shell import Completed
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.layers import Layers
from healing.sandbox.network import Asked, SetupNetwork
from healing.worktrees import Worktree, Worktrees
from healing.worktrees.threads import to_the_end

FETCHED_ONLY = b"for a fork only wheels and packages are fetched, and none of its code runs meanwhile: "


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
    stranger's, so set-up steps run without the network, after what they install was fetched."""

    run_id: str
    git: Git
    worktrees: Worktrees
    sandbox: Sandbox
    toolchain: Toolchain
    network: SetupNetwork
    env: dict[str, str]
    limits: Limits
    prebuilt_only: bool = False
    scope: str = ""  # whose code it is; empty: this run's alone
    _used: set[str] = field(default_factory=set)
    _failed: dict[str, Completed] = field(default_factory=dict)

    @asynccontextmanager
    async def ground(self, check: Check, worktree: Worktree) -> AsyncIterator[Ground]:
        """The ground for one check in a fresh worktree; gone afterwards."""
        scripts = with_network(check)
        once = self._shared(scripts, worktree)
        place = worktree.root.parent / f"setup-{secrets.token_hex(4)}"
        with ExitStack() as held:
            try:
                layer = await self._layer(once, worktree, held) if once else None
                if isinstance(layer, Completed):
                    yield Ground(failed=layer)
                    return
                once = once if layer else ()
                base = await self._base(worktree) if layer else None
                ground = await asyncio.to_thread(self._ground, place, layer, worktree, base)
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

    async def _base(self, worktree: Worktree) -> Path:
        layers = worktree.layers
        return layers.lower if layers else await self.worktrees.base(self.run_id, self.git, worktree.base_tree)

    async def _layer(self, scripts: tuple[Script, ...], worktree: Worktree, held: ExitStack) -> Path | Completed | None:
        """The folder with what these steps make on the run's base, which stays until `held` ends; or how the one ended
        that failed; None where what they make can't be laid over anything else."""
        environments, tree = self.worktrees.environments, worktree.base_tree
        key = await asyncio.to_thread(self._key, scripts, tree)
        found = await self._made(key, scripts, tree, held)
        if isinstance(found, Path) and not await asyncio.to_thread(environments.fits, found, self.git.view(tree)):
            return await self._made(content_id(key, tree, length=40), scripts, tree, held)
        return found

    async def _made(self, key: str, scripts: tuple[Script, ...], tree: str, held: ExitStack) -> Path | Completed | None:
        """What is kept under this key, made where it isn't there."""
        environments = self.worktrees.environments
        if key not in self._used and key not in self._failed:
            async with environments.making(key) as needed:
                if needed and key not in self._failed:
                    done = await self._prepare(scripts, tree, key)
                    if done.exit_code != 0:
                        self._failed[key] = done
        if key in self._failed:
            return self._failed[key]
        self._used.add(key)
        return await environments.hold(key, held)

    def _key(self, scripts: tuple[Script, ...], tree: str) -> str:
        """An id of all that makes an environment, and of whom it may be shared by."""
        view = self.git.view(tree)
        whose = "" if only_others_code(scripts, view) else self.scope or self.run_id
        sandbox = (self.sandbox.name, self.sandbox.layered, str(self.sandbox.owner), self.sandbox.inside(Path("/")))
        texts = [[script.text() for script in scripts], inputs(scripts, view), self.network.reach(), self.prebuilt_only]
        where = [str(self.git.path.resolve()), whose, sandbox, self.toolchain.python, sorted(self.env.items())]
        return content_id(texts, where, machine(self.env), length=40)

    async def _prepare(self, scripts: tuple[Script, ...], tree: str, key: str) -> Completed:
        layered = self.sandbox.layered
        base = await self.worktrees.base(self.run_id, self.git, tree)
        async with self.worktrees.worktree(self.run_id, "setup", self.git, tree, layered) as worktree:
            place = worktree.root.parent / "prepared"
            ground = await asyncio.to_thread(self._ground, place, None, worktree, None)
            done = await self._run(scripts, worktree, ground)
            assert done is not None
            if done.exit_code == 0:
                await to_the_end(self._keep, worktree, base, place, key)
            return done

    def _keep(self, worktree: Worktree, base: Path, place: Path, key: str) -> None:
        """Gives what was made to those who come after, unless it can't be laid over anything."""
        if worktree.layers:
            os.rename(worktree.root, place / "files")
        else:
            try:
                set_aside(worktree.root, base, place / "files", self.sandbox.owner)
            except (NotLayable, OSError):
                return
        self.worktrees.environments.keep(key, place, self.git.view(worktree.tree))

    def _ground(self, place: Path, layer: Path | None, worktree: Worktree, base: Path | None) -> Ground:
        self._passage(place)
        home = self._folder(place / "home")
        if layer is None:
            self.toolchain.lay_over(home, self.sandbox.owner)
            return Ground(home)
        if worktree.layers is None:
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
        texts = [script.text().replace(WORKSPACE, inside) for script in scripts]
        if not self.prebuilt_only:
            return await self._job(texts, worktree, ground, before, self.network)
        from healing.checks.fetching import fetching

        fetches = list(fetching(scripts, self.git.view(worktree.tree)))
        fetches = [f"HEAL_PYTHON={shlex.quote(self.toolchain.python)}\n{text}" for text in fetches]
        fetched = await self._job(fetches, worktree, ground, before, self.network) if fetches else None
        if fetched and fetched.exit_code != 0:
            return replace(fetched, output=FETCHED_ONLY + fetched.output)
        return await self._job(texts, worktree, ground, before, None)

    async def _job(
        self, texts: Sequence[str], worktree: Worktree, ground: Ground, before: int, network: SetupNetwork | None
    ) -> Completed:
        argv = driven(NOTHING, "", texts, before)
        job = Job(argv, worktree.root, env=self.env, readable=self.toolchain.readable, limits=self.limits, reports=True)
        asked: list[Asked] = []

        def tell(one: Asked) -> None:
            asked.append(one)
            self.network.tell(one)

        network = replace(network, tell=tell) if network else None
        done = await self.sandbox.run(ground.placed(replace(worktree.placed(job), network=network)))
        return done if done.exit_code == 0 else replace(done, output=with_reason(done.output, asked))
