"""One play: CI fails, Heal offers, a maintainer says `/heal apply`, the head moves.

Heal is killed where the test says, and a moment later started again on the same data by somebody who knows nothing.
"""

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lab.demo.stage import Heal
from lab.free_port import free_port
from lab.localhub import pulls
from lab.localhub.ci_state import CheckRun
from lab.localhub.hub import Hub
from lab.localhub.scene import Scene as DemoScene
from lab.localhub.server import LocalHub, serve
from lab.localhub.state import IssueComment
from tests.killing.company import Company, OpenCompany
from tests.killing.process import ROOT, HealProcess, runs_below
from tests.killing.scene import FIXES, MAINTAINER, RecordedJob, Scene, tell
from tests.killing.theatre import Theatre
from tests.model_standin.brains import oracle
from tests.model_standin.server import Standin
from tests.model_standin.server import serve as serve_model

MAX_WAIT = float(os.environ.get("HEAL_TEST_PATIENCE", "90"))  # more on a busy machine
BOT = "heal[bot]"


@dataclass
class Stage:
    """Everything on its place."""

    scene: Scene
    github: LocalHub
    model: Standin
    heal: HealProcess | Company
    data: Path
    longest_wait: float = MAX_WAIT  # seconds for anything to happen
    killed: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def kill(self, *_: object) -> None:
        """Kills Heal, the first time that it is called."""
        if not self.killed.is_set():
            self.killed.set()
            await self.heal.kill()

    def kill_in(self, seconds: float) -> None:
        """Kills Heal after a while."""
        self._later(lambda: asyncio.sleep(seconds))

    def kill_when(self, true: Callable[[], object], delay: float = 0.0) -> None:
        """Kills Heal as soon as something is true, and `delay` seconds have passed."""

        async def wait() -> None:
            while not true():  # noqa: ASYNC110 -- it looks at other processes
                await asyncio.sleep(0.01)
            await asyncio.sleep(delay)

        self._later(wait)

    def _later(self, wait: Callable[[], Awaitable[None]]) -> None:
        async def act() -> None:
            await wait()
            await self.kill()

        task = asyncio.create_task(act())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def sandboxed(self, word: str) -> bool:
        """Whether a command with this word in it runs in Heal's sandbox."""
        assert isinstance(self.heal, HealProcess)
        return runs_below(self.heal.pid, word)

    async def revive(self) -> None:
        """Once it was killed: nothing of it may live on; then it is started again, and GitHub is asked to deliver
        again what was never acknowledged. Nothing else."""
        await self.until("the kill", self.killed.is_set)
        await self.heal.nothing_survives()
        await self.heal.start()
        await self.hub.settled()
        for delivery in [d for d in self.hub.deliveries if not 200 <= d.attempts[-1].status_code < 300]:
            assert self.hub.redeliver is not None
            self.hub.redeliver(delivery)

    @property
    def hub(self) -> Hub:
        """The local GitHub's state."""
        return self.scene.hub

    def checks(self) -> list[CheckRun]:
        """Heal's check runs."""
        return [run for run in self.hub.check_runs.values() if run.app_slug == "heal"]

    def said(self, mark: str) -> list[IssueComment]:
        """Heal's comments with this in their marker."""
        mine = self.hub.conversation(self.scene.pull)
        return [c for c in mine if c.author.login == BOT and f"<!-- heal:v1 {mark}" in c.body]

    async def until(self, what: str, true: Callable[[], object]) -> None:
        """Waits for something to become true. Raises AssertionError with Heal's log when it never does."""
        end = time.monotonic() + self.longest_wait
        while not true():
            assert time.monotonic() < end, f"never happened: {what}. Heal's log ends:\n{self.heal.log[-5000:]}"
            await asyncio.sleep(0.05)

    def idle(self) -> bool:
        """Whether Heal's own books say that nothing is left to do."""
        if self.hub.unanswered:
            return False
        try:
            ((deliveries,),) = self.heal.rows("SELECT count(*) FROM deliveries WHERE state IN ('stored', 'queued')")
            ((runs,),) = self.heal.rows("SELECT count(*) FROM runs WHERE state IN ('gathering', 'running')")
        except (sqlite3.OperationalError, psycopg.OperationalError):
            return False  # the books are closed just now
        return not deliveries and not runs


async def heals(stage: Stage, recorded: Sequence[RecordedJob]) -> None:
    """The first act: CI fails, and Heal offers what it has."""
    tell(stage.scene, recorded)
    await stage.until("a finished check run", lambda: [c for c in stage.checks() if c.status == "completed"])
    await stage.until("a summary comment", lambda: stage.said("sticky"))
    await stage.until("rest after the healing", stage.idle)


async def applies(stage: Stage) -> None:
    """The second act: a maintainer has the fixup's fix applied, the head moves, and the other fixes follow."""
    pull = stage.scene.pull
    before = pull.head_sha
    pulls.comment(stage.hub, MAINTAINER, pull, f"/heal apply {proposal_of(stage, 'fixup pull request')}")
    await stage.until("an answer to /heal apply", lambda: stage.said("answer="))
    await stage.until("a new head", lambda: pull.head_sha != before)
    await stage.until("rest after the command", stage.idle)


def proposal_of(stage: Stage, delivered_as: str) -> str:
    """The id of the fix that the summary comment lists as offered that way."""
    (sticky,) = stage.said("sticky")
    (line,) = [line for line in sticky.body.splitlines() if line.endswith(")") and delivered_as in line]
    return line.split("`")[1]


@contextlib.asynccontextmanager
async def set_stage(
    theatre: Theatre,
    scene: Scene,
    quiet: float = 0.5,
    company: OpenCompany | None = None,
    more: dict[str, str] | None = None,
    code: Path = ROOT,
) -> AsyncIterator[Stage]:
    """The scene with GitHub, the model and Heal at work, which starts with what is in the theatre's data folder.
    `quiet` seconds after the last failure it begins to heal, or a moment after the suites have settled. What still runs
    at the end is killed: that is quick. With `company` Heal is several processes. `more`: of their environment. `code`:
    where Heal itself lies in its first life."""
    data, port = theatre.data, free_port()
    forward = Forward(f"http://127.0.0.1:{port}/webhook")
    async with (
        serve(scene.hub, extra_routes=[Route("/to-heal", forward.pass_on, methods=["POST"])]) as github,
        serve_model(oracle(FIXES, careful=True)) as model,
    ):
        scene.app.webhook_url = f"{github.url}/to-heal"
        programs = {"HEAL_PROGRAMS": str(theatre.programs)}
        given = {**environment(scene, github, model, data, port, quiet), **programs, **(more or {})}
        async with AsyncExitStack() as stack:
            alone = HealProcess(data, port, given, code=code)
            heal = await stack.enter_async_context(company(alone)) if company else alone
            stack.push_async_callback(heal.kill)
            await heal.start()
            yield Stage(scene, github, model, heal, data)


def environment(scene: Scene, github: LocalHub, model: Standin, data: Path, port: int, quiet: float) -> dict[str, str]:
    """What the process gets, as in the demo, with a model, and waits little."""
    demo = DemoScene(scene.hub, scene.app, scene.installation, scene.repo)
    return {
        **Heal(data, port, demo, github.url).environment(),
        "HEAL_QUIET_SECONDS": str(quiet),
        "ANTHROPIC_API_KEY": model.key,
        "ANTHROPIC_BASE_URL": model.url,
    }


@dataclass(frozen=True)
class Forward:
    """Where GitHub's webhooks arrive: passes them on to Heal, so that faults can be put before and after."""

    to: str

    async def pass_on(self, request: Request) -> Response:
        """One delivery; 502 where Heal can't be reached."""
        headers = {name: value for name, value in request.headers.items() if name != "host"}
        async with httpx.AsyncClient(timeout=30, trust_env=False) as client:
            try:
                answer = await client.post(self.to, content=await request.body(), headers=headers)
            except httpx.HTTPError:
                return Response(status_code=502)
        return Response(answer.content, answer.status_code)
