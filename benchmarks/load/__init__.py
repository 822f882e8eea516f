"""A storm of webhooks: 10,000 deliveries in two minutes, a fifth of them twice, in any order, into `heal serve`.

The whole product in one process on SQLite (`--on postgresql`: on a server of its own), against the local GitHub: each
delivery is stored before it is answered and joins its commit's run, whose attempts share one check run. The sender is a
process of its own. Peer: none runs in the same call; `python -m benchmarks delivery` has one for the acknowledgement.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.load.ending import Ending, ended
from benchmarks.load.storm import Storm, storm
from benchmarks.shape import Goal, Result
from lab.free_port import free_port
from lab.localhub import apps, pushes, repos
from lab.localhub.hub import Hub
from lab.localhub.server import serve
from lab.localhub.state import App, Installation, Repo

MINUTES = 25.0
SEED = 8
COMMITS = 500
WHOLE = 10_000  # deliveries
MAX_WAIT = 900.0  # seconds after the storm until everything has to be worked off


@dataclass(frozen=True)
class Serving:
    """`heal serve` as a process."""

    port: int
    log: Path
    pid: int

    def cpu_seconds(self) -> float:
        """What it has taken so far, in the program and in the kernel."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def most_memory(self) -> int:
        """Bytes that it had resident at most."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def configure(parser: argparse.ArgumentParser) -> None:
    """How much, how fast, and on which database."""
    parser.add_argument("--deliveries", type=int, default=WHOLE)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--on", choices=("sqlite", "postgresql"), default="sqlite")


async def measure(chosen: argparse.Namespace) -> Result:
    """Sends the storm, waits until nothing is left to do, and counts."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="heal-load-")))
        folder.chmod(0o711)
        hub = Hub(folder / "hub")
        github = await stack.enter_async_context(serve(hub))
        app, installation, repo = _place(hub)
        shas = await asyncio.to_thread(_commits, hub, repo, max(1, COMMITS * chosen.deliveries // WHOLE))
        made = storm(SEED, chosen.deliveries, chosen.seconds, shas, repo.id, repo.full_name, installation.id)
        url = _database(stack, chosen.on, folder)
        heal = await stack.enter_async_context(_heal(folder, app, github.api, url))
        before = heal.cpu_seconds()
        latencies = await _send(folder, made, heal.port, app.webhook_secret)
        began = time.monotonic()
        end = await ended(url, made, MAX_WAIT)
        drained = time.monotonic() - began
        checks = [run for run in hub.check_runs.values() if run.app_slug == "heal"]
        twice = len(checks) - len({run.head_sha for run in checks})
        cpu = heal.cpu_seconds() - before
        return _result(chosen, made, latencies, end, drained, twice, cpu, heal)


def _result(
    chosen: argparse.Namespace,
    made: Storm,
    latencies: list[dict[str, Any]],
    end: Ending,
    drained: float,
    twice: int,
    cpu: float,
    heal: Serving,
) -> Result:
    refused = [one["status"] for one in latencies if one["status"] not in (200, 202)]
    times = sorted(1000 * one["seconds"] for one in latencies)
    p99 = times[int(len(times) * 0.99) - 1]
    row = {
        "database": chosen.on,
        "deliveries": len(made.sent),
        "different": len(made.guids),
        "commits": len(made.checks),
        "seconds": chosen.seconds,
        "acknowledged p50 ms": round(statistics.median(times), 1),
        "p99 ms": round(p99, 1),
        "worst ms": round(times[-1], 1),
        "worked off after s": round(drained, 1),
        "CPU ms for a delivery": round(1000 * cpu / len(made.sent), 1),
        "largest memory MB": heal.most_memory() // 1_000_000,
        "attempts": end.attempts,
        "errors in the log": sum('"level": "error"' in line for line in heal.log.read_text().splitlines()),
    }
    lost = end.deliveries_lost + end.failures_lost + len(refused)
    goals = [
        Goal("deliveries or failures that were lost, or refused", "0", lost, lost == 0),
        Goal("acknowledgement p99, ms", "< 100", round(p99, 1), p99 < 100),
        Goal("commits without a run, or with one too many", "0", end.runs_off, end.runs_off == 0),
        Goal("check runs over one for a commit", "0", twice, twice == 0),
        Goal("not worked off", "0", end.left, end.left == 0),
    ]
    name = "load" if chosen.on == "sqlite" else f"load-{chosen.on}"
    return Result(name, SEED, [row], goals, ("sqlalchemy", "starlette"), partly=chosen.deliveries < WHOLE)


def _place(hub: Hub) -> tuple[App, Installation, Repo]:
    repo = repos.create_repo(hub, "octo", "demo", {"a.txt": "1\n"})
    app = apps.register(hub, "heal", "octo")
    repo.suites_off.add(app.slug)
    return app, apps.install(hub, app, "octo"), repo


def _commits(hub: Hub, repo: Repo, number: int) -> list[str]:
    """Commits on branches without a pull request: their runs end with a word about it, and cost little."""
    return [pushes.commit(hub, "octo", repo, f"topic-{n}", {"a.txt": f"{n}\n"}) for n in range(number)]


def _database(stack: AsyncExitStack, kind: str, folder: Path) -> str:
    if kind == "sqlite":
        return f"sqlite:///{folder / 'heal.db'}"
    from tests.bot.postgres import postgres

    return stack.enter_context(postgres())


@asynccontextmanager
async def _heal(folder: Path, app: App, api: str, url: str) -> AsyncIterator[Serving]:
    """`heal serve`, ready."""
    port = free_port()
    log = folder / "log"
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "HOME": str(folder),
        "HEAL_DATA": str(folder / "data"),
        "DATABASE_URL": url,
        "HEAL_APP_ID": str(app.id),
        "HEAL_PRIVATE_KEY": app.private_key,
        "HEAL_WEBHOOK_SECRET": app.webhook_secret,
        "HEAL_GITHUB_URL": api,
        "HEAL_WRITE_GAP": "0",
        "HEAL_PORT": str(port),
        "HEAL_START": "on",
    }
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", "serve", env=environment, stdout=out, stderr=out
        )
    try:
        await _ready(port, log)
        yield Serving(port, log, process.pid)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _ready(port: int, log: Path) -> None:
    import httpx

    end = time.monotonic() + 60
    async with httpx.AsyncClient(trust_env=False) as client:
        while time.monotonic() < end:
            try:
                if (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.2)
    raise TimeoutError(f"heal serve did not get ready: {log.read_text()[-2000:]}")


async def _send(folder: Path, made: Storm, port: int, secret: str) -> list[dict[str, Any]]:
    plan = folder / "storm.json"
    plan.write_text(json.dumps({"port": port, "secret": secret, "sent": made.sent}))
    sender = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.load.sender", str(plan), stdout=asyncio.subprocess.PIPE
    )
    reported, _ = await sender.communicate()
    answers: list[dict[str, Any]] = json.loads(reported)
    return answers
