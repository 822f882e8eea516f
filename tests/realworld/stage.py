"""The stage: one local GitHub with its runner, and Heal twice on it, without a model and with the stand-in's."""

import asyncio
import contextlib
import io
import shutil
import tarfile
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from pydantic import SecretStr

from bot.app import create_app
from bot.durable.engine import DurableEngine
from bot.machine import Machine
from bot.settings import Settings
from healing.environment.toolchain import base_environment
from healing.sandbox.probe import probe
from lab.localhub import apps, pulls, pushes, repos
from lab.localhub.hub import Hub
from lab.localhub.machines import own_machines
from lab.localhub.runner import Runner
from lab.localhub.server import LocalHub, serve
from lab.localhub.state import App, Pull, Repo
from tests import model_standin
from tests.model_standin import Standin
from tests.npm import NoNpmError, node_modules
from tests.realworld.bench import Bench
from tests.realworld.projects import WORKFLOW, Project

OWNER, AUTHOR = "readers", "noor"
ROUNDS = 6  # red CI, its healing, the fixup's CI, what that says: more is a loop


@dataclass
class Heal:
    """One running Heal: its machine, the queue that is stepped by hand, and where its webhooks go."""

    machine: Machine
    queue: DurableEngine
    url: str


@dataclass
class Home:
    """One project on the local GitHub: `files` is its main branch, which is green."""

    project: Project
    repo: Repo
    files: dict[str, bytes]
    ready: bool = False


@dataclass
class Stage:
    """Everything that the cases share."""

    github: LocalHub
    runner: Runner
    bench: Bench
    app: App
    standin: Standin
    free: Heal
    paid: Heal
    homes: dict[str, Home] = field(default_factory=dict)

    @property
    def hub(self) -> Hub:
        return self.github.hub

    async def home(self, project: Project) -> Home:
        """The project's repository, made when the first case asks for it; its CI has run on main and was green."""
        if project.name not in self.homes:
            released = await asyncio.to_thread(project.fetch)
            files = await self.bench.mend(project, released) if project.mend else released
            repo = repos.create_repo(self.hub, OWNER, project.name, dict(files))
            repo.suites_off.add("heal")
            repos.add_collaborator(repo, AUTHOR, "write")
            self.homes[project.name] = Home(project, repo, files | {WORKFLOW: project.workflow()})
        home = self.homes[project.name]
        if not home.ready:
            await self._prove_green(home)
        return home

    async def _prove_green(self, home: Home) -> None:
        sha = pushes.commit(self.hub, AUTHOR, home.repo, "main", {WORKFLOW: home.files[WORKFLOW]}, "Add CI")
        await self.runner.wait()
        runs = [r for r in self.hub.check_runs.values() if r.head_sha == sha and r.app_slug != "heal"]
        assert len(runs) >= 2, f"{home.project.title}: CI did not run on main"
        red = [r.name for r in runs if r.conclusion != "success"]
        assert not red, f"{home.project.title} is not green before it is broken: {red}"
        home.ready = True

    async def open(
        self, heal: Heal, home: Home, branch: str, files: dict[str, bytes], title: str
    ) -> tuple[Pull, set[str]]:
        """A pull request with one commit, after its CI has run; and the names of its red jobs."""
        self.app.webhook_url = heal.url
        pushes.commit(self.hub, AUTHOR, home.repo, branch, dict(files), title)
        pull = pulls.open_pull(self.hub, AUTHOR, home.repo, branch, title=title)
        await self.runner.wait()
        return pull, self.red(pull.head_sha)

    def red(self, sha: str) -> set[str]:
        """The jobs of CI that failed on a commit."""
        runs = [r for r in self.hub.check_runs.values() if r.head_sha == sha and r.app_slug != "heal"]
        return {r.name for r in runs if r.conclusion == "failure"}

    async def heal(self, heal: Heal) -> None:
        """Lets everything happen that the webhooks ask for, until nothing is left to do."""
        for _ in range(ROUNDS):
            await self.runner.wait()
            await self.hub.settled()
            received = len(self.hub.deliveries)
            await heal.queue.drain()
            await self.runner.wait()
            await self.hub.settled()
            if len(self.hub.deliveries) == received and await heal.queue.idle():
                return
        raise AssertionError("Heal and CI answer each other without end")

    async def close(self, heal: Heal, pull: Pull) -> None:
        """Closes the pull request, so that the next case has the stage for itself."""
        pulls.close_pull(self.hub, AUTHOR, pull)
        await self.heal(heal)

    def tree(self, repo: Repo, rev: str) -> dict[str, bytes]:
        """Every file of a commit, as git has it."""
        archive = self.hub.bare(repo).git("archive", "--format=tar", rev)
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            taken = {m.name: tar.extractfile(m) for m in tar.getmembers() if m.isfile()}
            return {name: data.read() for name, data in taken.items() if data}


@contextlib.asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    """Sets the stage in a folder of its own, and clears it away."""
    folder = Path(tempfile.mkdtemp(prefix="heal-realworld-"))
    folder.chmod(0o711)  # the sandbox's user has to get through to the worktrees
    try:
        async with _set(folder) as made:
            yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.asynccontextmanager
async def _set(folder: Path) -> AsyncIterator[Stage]:
    shared = folder / "shared"
    sandbox = (await probe(shared, "auto")).sandbox
    assert sandbox is not None, "no sandbox works here: `heal doctor` says why"
    made = await base_environment(shared, sandbox.owner)
    # The machine has the tools that the projects' checks call: nothing is installed for them.
    programs = (made.bin, *await asyncio.to_thread(_programs))
    toolchain = made.with_programs(programs[1:])
    hub = Hub(folder / "hub")
    app = apps.register(hub, "heal", OWNER)
    apps.install(hub, app, OWNER)
    runner = Runner(hub, shared, own_machines(sandbox, toolchain))
    bench = Bench(shared, sandbox, toolchain)
    async with contextlib.AsyncExitStack() as stack:
        github = await stack.enter_async_context(serve(hub))
        standin = await stack.enter_async_context(model_standin.serve(model_standin.scripted()))
        runner.start()
        stack.push_async_callback(runner.stop)
        free, paid = [
            await stack.enter_async_context(_heal(_settings(shared, name, app, github, model, programs)))
            for name, model in (("free", None), ("paid", standin))
        ]
        yield Stage(github, runner, bench, app, standin, free, paid)


def _programs() -> tuple[Path, ...]:
    """Where npm's tools are; nowhere, where they can't be had: then JavaScript's cases say so."""
    try:
        return (node_modules() / ".bin",)
    except NoNpmError:
        return ()


def _settings(
    data: Path, name: str, app: App, github: LocalHub, standin: Standin | None, programs: tuple[Path, ...]
) -> Settings:
    """Each Heal has a folder of its own: what its store does not know of, its retention clears away in time."""
    own = data / name
    own.mkdir(mode=0o711)
    return Settings(
        data=own,
        app_id=str(app.id),
        private_key=SecretStr(app.private_key),
        webhook_secret=SecretStr(app.webhook_secret),
        github_url=github.api,
        write_gap=0,
        quiet_seconds=0,
        programs=":".join(map(str, programs)),
        start="on",
        anthropic_api_key=SecretStr(standin.key if standin else ""),
        anthropic_base_url=standin.url if standin else "",
    )


@contextlib.asynccontextmanager
async def _heal(settings: Settings) -> AsyncIterator[Heal]:
    """Heal's web process in this one, over HTTP."""
    queue = DurableEngine(stepped=True)
    app = create_app(settings, queue, now=time.time)
    async with app.router.lifespan_context(app):
        config = uvicorn.Config(app, port=0, log_config=None, lifespan="off", ws="none", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
            await asyncio.sleep(0.005)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            yield Heal(app.state.machine, queue, f"http://127.0.0.1:{port}/webhook")
        finally:
            server.should_exit = True
            await task
