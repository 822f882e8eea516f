"""The busy organisation: its repositories and people on the local GitHub, and the Heal that it told of them."""

import asyncio
import os
import random
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from lab.free_port import free_port
from lab.localhub import actions, apps, pulls, pushes, repos
from lab.localhub.hub import Hub
from lab.localhub.server import serve
from lab.localhub.state import App, Pull, Repo

JOBS = ("lint", "tests", "types")
RED_JOBS = 2
PERSON = "noor"
TOGETHER = 4  # pushes at the same time, to different repositories
MAX_WAIT = 180.0  # real seconds for what one push causes, and for the start


class Clock:
    """Stands until it is set."""

    def __init__(self) -> None:
        self.at = time.time()

    def __call__(self) -> datetime:
        return datetime.fromtimestamp(self.at, UTC)


@dataclass
class Organisation:
    """Everything at hand. An hour is a number of pushes with the time between them."""

    hub: Hub
    clock: Clock
    repos: list[Repo]
    heal: httpx.AsyncClient
    chance: random.Random
    pulls: dict[int, Pull] = field(default_factory=dict)
    pushed: list[str] = field(default_factory=list)
    deliveries: int = 0

    async def hour(self, pushes: int) -> dict[str, Any]:
        """One hour; gives what Heal measured of itself."""
        began, real = self.clock.at, time.monotonic()
        for number in range(0, pushes, TOGETHER):
            await self._set_clock(began + 3600 * min(number + TOGETHER, pushes) / pushes)
            for repo in self.chance.sample(self.repos, min(TOGETHER, pushes - number)):
                self._push(repo)
            await self._rest()
        found = (await self.heal.post("/hour")).json()
        before, self.deliveries = self.deliveries, len(self.hub.deliveries)
        ended = {c.head_sha for c in self.hub.check_runs.values() if c.app_slug == "heal" and c.status == "completed"}
        lost = len(set(self.pushed) - ended)
        seconds = round(time.monotonic() - real, 1)
        return {"deliveries": self.deliveries - before, "lost": lost, "real seconds": seconds, **found}

    async def _set_clock(self, to: float) -> None:
        self.clock.at = max(self.clock.at, to)
        self.clock.at = (await self.heal.post("/time", content=str(self.clock.at))).json()

    def _push(self, repo: Repo) -> None:
        """To the repository's pull request, or to a new one; then CI is red."""
        number = len(self.pushed)
        text = "".join(f"line {n}\n" for n in range(20)) + f"red {number}\n"
        pull, branch = self.pulls.get(repo.id), f"topic-{number}"
        if pull is not None and self.chance.random() < 0.3:
            pulls.close_pull(self.hub, PERSON, pull)
            pull = None
        sha = pushes.commit(self.hub, PERSON, repo, pull.head_ref if pull else branch, {"a.txt": text}, "Change")
        pull = pull or pulls.open_pull(self.hub, PERSON, repo, branch, title="Change")
        self.pulls[repo.id] = pull
        self.pushed.append(sha)
        run = actions.begin_run(self.hub, repo, ".github/workflows/ci.yml", "CI", sha, pull.head_ref)
        jobs = [actions.begin_job(self.hub, run, name) for name in JOBS]
        for place, job in enumerate(jobs):
            actions.finish_job(self.hub, job, "failure" if place < RED_JOBS else "success", [], b"it is red\n")
        actions.finish_run(self.hub, run)

    async def _rest(self) -> None:
        """Until GitHub has told everything and Heal has done it all."""
        until = time.monotonic() + MAX_WAIT
        while time.monotonic() < until:
            await self.hub.settled()
            if (await self.heal.get("/open")).json() == 0 and not self.hub.unanswered:
                return
            await asyncio.sleep(0.05)
        raise TimeoutError("Heal did not come to rest after a push")


@asynccontextmanager
async def organised(folder: Path, number: int, keep_hours: float, seed: int) -> AsyncIterator[Organisation]:
    """The organisation with Heal on all its repositories, before the first hour."""
    clock = Clock()
    hub = Hub(folder / "hub", clock)
    hub.signing_now = clock
    made = [repos.create_repo(hub, "octo", f"repo-{n}", {"a.txt": "line\n"}) for n in range(number)]
    for repo in made:
        repos.add_collaborator(repo, PERSON, "write")
        repo.suites_off.add("heal")
    app = apps.register(hub, "heal", "octo")
    apps.install(hub, app, "octo")
    port = free_port()
    app.webhook_url = f"http://127.0.0.1:{port}/webhook"
    async with serve(hub) as github, _heal(folder, app, github.api, port, keep_hours) as client:
        yield Organisation(hub, clock, made, client, random.Random(seed))


@asynccontextmanager
async def _heal(folder: Path, app: App, api: str, port: int, keep_hours: float) -> AsyncIterator[httpx.AsyncClient]:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "HOME": str(folder),
        "HEAL_DATA": str(folder / "data"),
        "HEAL_APP_ID": str(app.id),
        "HEAL_PRIVATE_KEY": app.private_key,
        "HEAL_WEBHOOK_SECRET": app.webhook_secret,
        "HEAL_GITHUB_URL": api,
        "HEAL_WRITE_GAP": "0",
        "HEAL_PORT": str(port),
        "HEAL_QUIET_SECONDS": "0",
        "HEAL_START": "on",
    }
    words = [sys.executable, "-m", "benchmarks.day.heal", str(keep_hours)]
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(*words, env=environment, stdout=log, stderr=log)
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as client:
            await _ready(client, process, folder / "log")
            yield client
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _ready(client: httpx.AsyncClient, process: asyncio.subprocess.Process, log: Path) -> None:
    until = time.monotonic() + MAX_WAIT
    while time.monotonic() < until and process.returncode is None:
        try:
            if (await client.get("/open")).status_code == 200:
                return
        except httpx.TransportError:
            pass
        await asyncio.sleep(0.1)
    raise TimeoutError(f"Heal did not start: {log.read_text()[-3000:]}")
