"""Runs set-up steps that have a network, as jobs of their own before the check, which has none.

What the leading steps install (the home, and what they wrote in the worktree) is kept and placed under every check that
would install the same, also in other runs: as overlay layers, or as copies where there is no overlay. The other steps
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
from healing.checks.driver import NOTHING, driver_command
from healing.checks.installing import inputs
from healing.checks.recognising import installs
from healing.checks.setup_failure import with_reason
from healing.checks.sharing import installs_only_published, machine
from healing.environment.toolchain import Toolchain
from healing.files.removal import remove_tree
from healing.git import Git
from healing.git.laying import NotLayable, lay_over, move_changed_entries
from healing.model import content_id
from healing.process.owner import hand_over
from healing.process.shell import Completed
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.layers import Layers
from healing.sandbox.network import RequestedConnection, SetupNetwork
from healing.worktrees import Worktree, Worktrees
from healing.worktrees.threads import run_to_end

FETCHED_ONLY = b"for a fork only wheels and packages are fetched, and none of its code runs meanwhile: "


@dataclass(frozen=True)
class PreparedEnvironment:
    """What a check builds on: a home, and what set-up steps wrote in the worktree. `failed` is the result of a set-up
    step that failed; then the other fields are of no use."""

    home: Path | None = None
    home_layers: Layers | None = None
    between: Path | None = None
    failed: Completed | None = None

    def adapt_job(self, job: Job) -> Job:
        """The job, set up to run on this ground."""
        layers = replace(job.layers, between=self.between) if job.layers else None
        return replace(job, home=self.home, home_layers=self.home_layers, layers=layers)


def with_network(check: Check) -> tuple[Script, ...]:
    """The set-up steps that run with a network: all of them, except where the check has servers. Then it is the steps
    up to the last one that installs something; later ones may need the servers, which exist only for the check
    itself."""
    if not check.servers:
        return check.setup
    last = max((count for count, script in enumerate(check.setup, 1) if script.provides or installs(script)), default=0)
    return check.setup[:last]


@dataclass
class CheckPreparer:
    """Prepares the checks of one run. `env` is set in all of their jobs. `prebuilt_only`: the code is untrusted, so
    set-up steps run without the network, after what they install was fetched."""

    run_id: str
    git: Git
    worktrees: Worktrees
    sandbox: Sandbox
    toolchain: Toolchain
    network: SetupNetwork
    env: dict[str, str]
    limits: Limits
    prebuilt_only: bool = False
    scope: str = ""  # whose code it is; empty: environments are shared only within this run
    _used: set[str] = field(default_factory=set)
    _failed: dict[str, Completed] = field(default_factory=dict)

    @asynccontextmanager
    async def ground(self, check: Check, worktree: Worktree) -> AsyncIterator[PreparedEnvironment]:
        """The ground for one check in a fresh worktree; removed afterwards."""
        scripts = with_network(check)
        shared = self._shared(scripts, worktree)
        place = worktree.root.parent / f"setup-{secrets.token_hex(4)}"
        with ExitStack() as stack:
            try:
                layer = await self._layer(shared, worktree, stack) if shared else None
                if isinstance(layer, Completed):
                    yield PreparedEnvironment(failed=layer)
                    return
                shared = shared if layer else ()
                base = await self._base(worktree) if layer else None
                ground = await asyncio.to_thread(self._ground, place, layer, worktree, base)
                result = await self._run(scripts[len(shared) :], worktree, ground, before=len(shared))
                yield replace(ground, failed=result) if result and result.exit_code != 0 else ground
            finally:
                await asyncio.to_thread(remove_tree, place)

    def _shared(self, scripts: tuple[Script, ...], worktree: Worktree) -> tuple[Script, ...]:
        """The leading steps whose results can be shared with the run's base."""
        here, base = self.git.view(worktree.tree), self.git.view(worktree.base_tree)
        count = next((index for index, script in enumerate(scripts) if inputs([script], here) is None), len(scripts))
        if self.prebuilt_only and count < len(scripts):
            return ()  # everything is fetched first, into a fresh home
        leading = scripts[:count]
        return leading if inputs(leading, here) == inputs(leading, base) else ()

    async def _base(self, worktree: Worktree) -> Path:
        layers = worktree.layers
        return layers.lower if layers else await self.worktrees.base(self.run_id, self.git, worktree.base_tree)

    async def _layer(self, scripts: tuple[Script, ...], worktree: Worktree, held: ExitStack) -> Path | Completed | None:
        """The folder with what these steps produce on the run's base, which is held until `held` ends; the result of
        the step that failed; or None where what they produce can't be laid over another worktree."""
        environments, tree = self.worktrees.environments, worktree.base_tree
        key = await asyncio.to_thread(self._key, scripts, tree)
        layer = await self._stored_or_made(key, scripts, tree, held)
        if isinstance(layer, Path) and not await asyncio.to_thread(environments.fits, layer, self.git.view(tree)):
            return await self._stored_or_made(content_id(key, tree, length=40), scripts, tree, held)
        return layer

    async def _stored_or_made(
        self, key: str, scripts: tuple[Script, ...], tree: str, held: ExitStack
    ) -> Path | Completed | None:
        """The result stored under this key, created where it doesn't exist yet."""
        environments = self.worktrees.environments
        if key not in self._used and key not in self._failed:
            async with environments.making(key) as needed:
                if needed and key not in self._failed:
                    result = await self._prepare(scripts, tree, key)
                    if result.exit_code != 0:
                        self._failed[key] = result
        if key in self._failed:
            return self._failed[key]
        self._used.add(key)
        return await environments.hold(key, held)

    def _key(self, scripts: tuple[Script, ...], tree: str) -> str:
        """An id of everything that determines an environment, and of who may share it."""
        view = self.git.view(tree)
        scope = "" if installs_only_published(scripts, view) else self.scope or self.run_id
        sandbox = (self.sandbox.name, self.sandbox.layered, str(self.sandbox.owner), self.sandbox.inside(Path("/")))
        texts = [[script.text() for script in scripts], inputs(scripts, view), self.network.reach(), self.prebuilt_only]
        where = [str(self.git.path.resolve()), scope, sandbox, self.toolchain.python, sorted(self.env.items())]
        return content_id(texts, where, machine(self.env), length=40)

    async def _prepare(self, scripts: tuple[Script, ...], tree: str, key: str) -> Completed:
        layered = self.sandbox.layered
        base = await self.worktrees.base(self.run_id, self.git, tree)
        async with self.worktrees.worktree(self.run_id, "setup", self.git, tree, layered) as worktree:
            place = worktree.root.parent / "prepared"
            ground = await asyncio.to_thread(self._ground, place, None, worktree, None)
            result = await self._run(scripts, worktree, ground)
            assert result is not None
            if result.exit_code == 0:
                await run_to_end(self._keep, worktree, base, place, key)
            return result

    def _keep(self, worktree: Worktree, base: Path, place: Path, key: str) -> None:
        """Store the environment for later checks, unless it can't be laid over another worktree."""
        if worktree.layers:
            os.rename(worktree.root, place / "files")
        else:
            try:
                move_changed_entries(worktree.root, base, place / "files", self.sandbox.owner)
            except (NotLayable, OSError):
                return
        self.worktrees.environments.keep(key, place, self.git.view(worktree.tree))

    def _ground(self, place: Path, layer: Path | None, worktree: Worktree, base: Path | None) -> PreparedEnvironment:
        self._make_passable(place)
        home = self._folder(place / "home")
        if layer is None:
            self.toolchain.lay_over(home, self.sandbox.owner)
            return PreparedEnvironment(home)
        if worktree.layers is None:
            lay_over(layer / "home", home, None, self.sandbox.owner)
            lay_over(layer / "files", worktree.root, base, self.sandbox.owner)
            return PreparedEnvironment(home)
        work, joined = self._folder(place / "work"), self._folder(place / "joined")
        return PreparedEnvironment(home, Layers(layer / "home", work, joined), layer / "files")

    def _make_passable(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        folder.chmod(0o711)

    def _folder(self, path: Path) -> Path:
        path.mkdir(mode=0o755)
        hand_over(path, self.sandbox.owner)
        return path

    async def _run(
        self, scripts: tuple[Script, ...], worktree: Worktree, ground: PreparedEnvironment, before: int = 0
    ) -> Completed | None:
        """Run set-up steps, with the network as far as they may use it. Returns None where there are no steps."""
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
        self,
        texts: Sequence[str],
        worktree: Worktree,
        ground: PreparedEnvironment,
        before: int,
        network: SetupNetwork | None,
    ) -> Completed:
        argv = driver_command(NOTHING, "", texts, before)
        job = Job(argv, worktree.root, env=self.env, readable=self.toolchain.readable, limits=self.limits, reports=True)
        asked: list[RequestedConnection] = []

        def tell(one: RequestedConnection) -> None:
            asked.append(one)
            self.network.tell(one)

        network = replace(network, tell=tell) if network else None
        result = await self.sandbox.run(ground.adapt_job(replace(worktree.adapt_job(job), network=network)))
        return result if result.exit_code == 0 else replace(result, output=with_reason(result.output, asked))
