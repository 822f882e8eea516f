"""The little language that conversations are written in: a pull request, its CI, Heal, and what people say.

Everything in it is real: the local GitHub over HTTP with signed webhooks, CI in the sandbox, Heal's own machine with
its store and engine. Only two things are in hand: the clock, and when each side does its work. A world fails its test
at the end for whatever was left: a comment that nobody read, a run that didn't end, a worktree, an error in the log.
"""

import asyncio
import logging
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn
from pydantic import SecretStr
from starlette.applications import Starlette

from bot.app import create_app
from bot.durable.engine import DurableEngine
from bot.machine import Machine
from bot.settings import Settings
from bot.store.deliveries import deliveries
from bot.store.repo import RepoStore
from bot.store.runs import runs
from lab.localhub import actions, apps, pulls, pushes, repos
from lab.localhub.ci_state import Step, WorkflowRun
from lab.localhub.hub import Hub
from lab.localhub.joblog import JobLog
from lab.localhub.repos import FileTree
from lab.localhub.runner import Runner
from lab.localhub.server import LocalHub, Quiet, listen, serve
from lab.localhub.state import App, Installation, Repo
from tests.conversation.local_machine import Clock, LocalMachine, Ticking
from tests.conversation.page import Page
from tests.conversation.small_repo import GREEN
from tests.localhub import asking
from tests.migrated import new_store

MAINTAINER, AUTHOR, VISITOR = "maya", "noor", "sam"
OWNER = "corner-shop"
OpenWorld = Callable[..., AbstractAsyncContextManager["World"]]


@dataclass
class World:
    """The stage of one conversation."""

    github: LocalHub
    runner: Runner
    app: App
    installation: Installation
    repo: Repo
    machine: Machine
    queue: DurableEngine
    clock: Clock
    folder: Path
    complaints: list[logging.LogRecord]
    pages: list[Page] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)  # what a test says will be left over

    @property
    def hub(self) -> Hub:
        return self.github.hub

    @property
    def store(self) -> RepoStore:
        """What Heal remembers of the repository."""
        return self.machine.contexts.store(self.repo.id, self.repo.full_name)

    async def pull(self, files: FileTree, by: str = AUTHOR, branch: str = "topic", **opening: Any) -> Page:
        """Somebody changes these files on a branch and opens a pull request."""
        message = opening.pop("message", "Change things")
        pushes.commit(self.hub, by, self.repo, branch, files, message)
        return self.page(pulls.open_pull(self.hub, by, self.repo, branch, **opening).number)

    async def healed(self, files: FileTree, **opening: Any) -> Page:
        """A pull request whose CI ran, and that Heal has looked at."""
        page = await self.pull(files, **opening)
        await self.ci()
        await self.heal()
        return page

    async def pull_from_fork(
        self, files: FileTree, by: str = "fiona", branch: str = "topic", owner: str = "", name: str = ""
    ) -> Page:
        """A stranger forks the repository (for `owner`, by default for themselves) and opens a pull request from
        there."""
        owner = owner or by
        fork = repos.fork(self.hub, self.repo, owner, name)
        pushes.commit(self.hub, by, fork, branch, files)
        opened = pulls.open_pull(self.hub, by, self.repo, f"{owner}:{branch}", head_repo_name=fork.name)
        return self.page(opened.number)

    def page(self, number: int) -> Page:
        """The page of a pull request."""
        for known in self.pages:
            if known.number == number:
                return known
        self.pages.append(Page(self, self.hub.pull(self.repo, number)))
        return self.pages[-1]

    async def commit_to_main(self, files: FileTree, by: str = MAINTAINER) -> str:
        """Somebody commits to the default branch."""
        return pushes.commit(self.hub, by, self.repo, "main", files)

    async def ci(self) -> None:
        """CI runs for everything that was pushed since it last ran."""
        self.runner.resume()
        await self.runner.wait()
        self.runner.pause()
        await self.hub.settled()

    async def ci_says(self, page: Page, log: bytes | str | None, job: str = "checks", step: str = "Pytest") -> None:
        """CI reports a failed job on the head. Text is what the step printed, bytes are the whole log as it is; None:
        the log never arrived."""
        record = actions.begin_job(self.hub, self._run_on(page), job)
        begun = self.hub.now()
        written = JobLog(self.hub.now)
        written.run_group(step, "/usr/bin/bash -e {0}", {})
        written.text(log.encode() if isinstance(log, str) else b"")
        log = written.data() if isinstance(log, str) else log
        self.clock.at += 1
        steps = [Step(1, "Set up job", "success", begun, begun), Step(2, step, "failure", begun, self.hub.now())]
        actions.finish_job(self.hub, record, "failure", steps, log)
        actions.finish_run(self.hub, self.hub.runs[record.run_id])
        await self.hub.settled()

    def _run_on(self, page: Page) -> WorkflowRun:
        branch = page.pull.head_ref
        return actions.begin_run(self.hub, self.repo, ".github/workflows/ci.yml", "CI", page.head, branch)

    async def heal(self) -> None:
        """Heal hears what happened, does all that it has to do, and hears what that caused. CI doesn't run."""
        while True:
            await self.hub.settled()
            await self.queue.drain()
            await self.hub.settled()
            if await self.queue.idle():
                return

    def when(self, method: str, path: str, happens: Callable[[], object]) -> None:
        """Lets something happen right after GitHub did the first such request, before it answers."""

        def once() -> None:
            happens()

        self.github.faults.after(method, path, once)

    async def left_over(self) -> list[str]:
        """Everything that a conversation must not leave behind, but for what the test said would be left."""
        left = await self._left_over()
        missed = [text for text in self.expected if not any(text in line for line in left)]
        surprising = [line for line in left if not any(text in line for text in self.expected)]
        return surprising + [f"expected, but not there: {text}" for text in missed]

    async def _left_over(self) -> list[str]:
        left = [f"in the log: {text}" for text in map(_line, self.complaints)]
        left += [text for page in self._all_pages() for text in page.unread()]
        left += [f"check run {c.name} is {c.status}" for c in self.hub.check_runs.values() if c.status != "completed"]
        left += [
            f"a worktree: {path.name}"
            for path in (self.folder / "heal" / "trees").glob("*/*")
            if not path.name.startswith("spare-")
        ]
        left += [f"GitHub's descriptions say: {text}" for text in asking.objections(self.github.log)]
        left += [f"a request ended {s.status}: {s.method} {s.path}" for s in self.github.log if s.status >= 500]
        return left + await self._unfinished()

    def _all_pages(self) -> list[Page]:
        return [self.page(pull.number) for pull in self.hub.pulls_of(self.repo)]

    async def _unfinished(self) -> list[str]:
        async with self.machine.database.read() as connection:
            states = (await connection.execute(runs.select())).mappings().all()
            received = (await connection.execute(deliveries.select())).mappings().all()
        left = [f"run {r['sha'][:7]}/{r['attempt']} is {r['state']}" for r in states if r["state"] not in OVER]
        return left + [f"delivery {d['event']} is {d['state']}: {d['error']}" for d in received if d["state"] != "done"]


OVER = ("done", "superseded", "stopped")


def _line(record: logging.LogRecord) -> str:
    return f"{record.levelname} {record.getMessage()}"


@asynccontextmanager
async def open_world(
    local_machine: LocalMachine,
    files: FileTree | None = None,
    fresh: bool = False,
    sandboxed: bool = True,
    **settings: Any,
) -> AsyncIterator[World]:
    """A repository with Heal on it, and nothing red yet. `fresh`: no result of a check or of CI is taken from others.
    Not `sandboxed`: no sandbox works where Heal runs (CI has one all the same). `settings` go to Heal."""
    folder = Path(tempfile.mkdtemp(prefix="world-", dir=local_machine.folder))
    folder.chmod(0o711)
    clock = Clock()
    hub = Hub(folder / "hub", lambda: datetime.fromtimestamp(clock(), UTC))
    repo = repos.create_repo(hub, OWNER, "shop", GREEN if files is None else files)
    for login, permission in ((MAINTAINER, "admin"), (AUTHOR, "write"), (VISITOR, "read")):
        repos.add_collaborator(repo, login, permission)  # type: ignore[arg-type]
    app = apps.register(hub, "heal", OWNER, private_key=KEY or _remember_key(apps.new_key()))
    installation = apps.install(hub, app, OWNER, [repo])
    repo.suites_off.add(app.slug)  # Heal has been here before
    done = None if fresh else local_machine.done
    machines = replace(local_machine.machines, sandbox=Ticking(local_machine.sandbox, clock, done))
    runner = Runner(hub, folder / "runner", machines)
    try:
        with _listening() as complaints:
            shop = local_machine if sandboxed else local_machine.without_sandbox()
            async with (
                serve(hub) as github,
                _heal(shop, folder, github, app, clock, fresh, settings) as machine,
            ):
                queue = machine.queue
                runner.start()
                runner.pause()
                made = World(
                    github, runner, app, installation, repo, machine, queue, clock, folder, complaints
                )  # fmt: skip
                yield made
                left = await made.left_over()
                await runner.stop()
        assert not left, "the conversation left something behind:\n" + "\n".join(left)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder)


@asynccontextmanager
async def _heal(
    local_machine: LocalMachine,
    folder: Path,
    github: LocalHub,
    app: App,
    clock: Clock,
    fresh: bool,
    extra: dict[str, Any],
) -> AsyncIterator[Machine]:
    """Heal's machine served over HTTP, and the App's webhooks and the way back from signing in pointed at it."""
    sock = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{sock.getsockname()[1]}"
    app.webhook_url, app.callback_urls = f"{url}/webhook", [f"{url}/auth/callback"]
    settings = Settings(
        data=folder / "heal",
        app_id=str(app.id),
        private_key=SecretStr(app.private_key),
        webhook_secret=SecretStr(app.webhook_secret),
        github_url=github.api,
        client_id=app.client_id,
        client_secret=SecretStr(app.client_secret),
        **{"start": "on", "write_gap": 0, "public_url": url, **extra},
    )
    if not settings.database_url:
        new_store(settings.store_file)
    healers = local_machine.healers(settings, fresh)
    made = create_app(settings, DurableEngine(stepped=True), healers, clock, clock.sleep)
    try:
        async with made.router.lifespan_context(made), _served(made, sock):
            yield made.state.machine
    finally:
        await healers.close()


@asynccontextmanager
async def _served(made: Starlette, sock: socket.socket) -> AsyncIterator[None]:
    """Serves an application on a socket that listens."""
    server = Quiet(uvicorn.Config(made, log_config=None, access_log=False, lifespan="off", ws="none"))
    running = asyncio.create_task(server.serve(sockets=[sock]))
    while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
        await asyncio.sleep(0.005)
    try:
        yield
    finally:
        server.should_exit = True
        await running
        sock.close()


KEY = ""


def _remember_key(key: str) -> str:
    global KEY  # noqa: PLW0603 -- a key takes a tenth of a second to make
    KEY = key
    return key


@contextmanager
def _listening() -> Iterator[list[logging.LogRecord]]:
    """Everything that is logged as an error."""
    received: list[logging.LogRecord] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = received.append  # type: ignore[method-assign, assignment]
    logging.getLogger().addHandler(handler)
    try:
        yield received
    finally:
        logging.getLogger().removeHandler(handler)
