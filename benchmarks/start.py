"""How quickly Heal is there, and how much memory its processes hold while nothing happens.

`heal --help` and a local command are started again and again (the median counts). Web and worker are started against a
GitHub on localhost, asked until they answer, and looked at after some quiet seconds: resident memory, as Linux says.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from benchmarks.shape import Goal, Result
from lab.free_port import free_port
from lab.localhub import apps
from lab.localhub.hub import Hub
from lab.localhub.server import serve

TIMES = 5
QUIET_SECONDS = 5.0
MAX_WAIT = 60.0
HELP_SECONDS, WEB_MEGABYTES = 0.3, 120
CHECK_FACTOR, CHECK_SECONDS = 1.15, 1.0  # of `heal check --run CMD` over CMD alone, from the second call on
AT_WORK = "the worker runs on"  # what its log says first
CHECKED = "python3 -m unittest -q"
FILES = {
    "shop.py": "def total(prices):\n    return sum(prices)\n",
    "test_shop.py": "import unittest\nfrom shop import total\n\n\nclass Total(unittest.TestCase):\n"
    "    def test_sum(self):\n        self.assertEqual(total([1, 2]), 3)\n",
}
Row = dict[str, str | float]


async def measure() -> Result:
    """Starts everything, one after another."""
    with tempfile.TemporaryDirectory(prefix="heal-start-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        rows = [await _command(folder, "--help"), await _command(folder, "--version"), await _command(folder, "list")]
        by_hand, check = await asyncio.to_thread(_checked, folder)
        hub = Hub(folder / "hub")
        app = apps.register(hub, "heal", "somebody")
        async with serve(hub) as github:
            reported = {
                "HEAL_APP_ID": str(app.id),
                "HEAL_PRIVATE_KEY": app.private_key,
                "HEAL_WEBHOOK_SECRET": "secret",
                "HEAL_GITHUB_URL": github.api,
            }
            for words in (("serve", "--web-only"), ("serve",)):
                rows.append(await _web(folder, reported, words))
            rows.append(await _worker(folder, reported))
    quick, web = rows[0]["seconds"], rows[3]["megabytes"]
    beyond = float(check["seconds"]) - CHECK_FACTOR * float(by_hand["seconds"])
    goals = [
        Goal("heal --help", f"<= {HELP_SECONDS} s", float(quick), float(quick) <= HELP_SECONDS),
        Goal("web process, idle", f"<= {WEB_MEGABYTES} MB", float(web), float(web) <= WEB_MEGABYTES),
        Goal("heal check --run, beyond 1.15 × the command", f"<= {CHECK_SECONDS} s", beyond, beyond <= CHECK_SECONDS),
    ]
    return Result("start", 0, [*rows, by_hand, check], goals)


def _environment(folder: Path, **more: str) -> dict[str, str]:
    kept = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": os.environ.get("PYTHONPATH", str(Path.cwd())),
    }
    return {**kept, "HEAL_DATA": str(folder / "data"), **more}


async def _command(folder: Path, *words: str) -> Row:
    """The median of its wall and processor time, and the most memory that it held."""
    found = [await asyncio.to_thread(_ended, list(words), _environment(folder)) for _ in range(TIMES)]
    walls, processor, memory = zip(*found, strict=True)
    name = " ".join(("heal", *words))
    return _row(name, statistics.median(walls), max(memory), statistics.median(processor))


def _checked(folder: Path) -> tuple[Row, Row]:
    """A command by hand and through `heal check --fresh`, in turns, so that other work on the machine slows both."""
    clone = folder / "clone"
    clone.mkdir()
    for name, text in FILES.items():
        (clone / name).write_text(text)
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "Open the shop")):
        named = ("-c", "user.name=dev", "-c", "user.email=dev@example.org")
        subprocess.run(("git", *named, *words), cwd=clone, check=True, capture_output=True)
    env = _environment(folder)
    heal = ("check", "--quiet", "--fresh", "--run", CHECKED)
    walls: list[float] = []
    found: list[tuple[float, float, float]] = []
    for _ in range(1 + TIMES):  # the first prepares what later ones find
        began = time.monotonic()
        subprocess.run(("bash", "-c", CHECKED), cwd=clone, env=env, check=True, capture_output=True)
        walls.append(time.monotonic() - began)
        found.append(_ended(list(heal), env, clone))
    seconds, processor, memory = zip(*found[1:], strict=True)
    name = "heal check --run, the second time"
    return (
        _row(CHECKED, statistics.median(walls[1:]), 0.0),
        _row(name, statistics.median(seconds), max(memory), statistics.median(processor)),
    )


# What a program says of itself at its end; the system's books count memory of the process that started it, too.
TELLING = """
import atexit, re, resource, sys
@atexit.register
def tell():
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
    print(used.ru_utime + used.ru_stime, most, file=sys.stderr)
sys.argv[0] = "heal"
from bot.__main__ import main
main()
"""


def _ended(words: list[str], env: dict[str, str], cwd: Path | None = None) -> tuple[float, float, float]:
    """Seconds, processor seconds and megabytes of a command."""
    began = time.monotonic()
    argv = [sys.executable, "-c", TELLING, *words]
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, check=True)
    processor, kilobytes = done.stderr.split()[-2:]
    return time.monotonic() - began, float(processor), int(kilobytes) / 1024


def _row(name: str, seconds: float, megabytes: float, processor: float | None = None) -> Row:
    row: Row = {"what": name, "seconds": round(seconds, 3), "megabytes": round(megabytes, 1)}
    return row if processor is None else {**row, "processor seconds": round(processor, 3)}


@asynccontextmanager
async def _running(
    folder: Path, reported: dict[str, str], words: tuple[str, ...]
) -> AsyncIterator[asyncio.subprocess.Process]:
    data = folder / "-".join(words)
    data.mkdir(mode=0o711)
    env = _environment(folder, **reported, HEAL_DATA=str(data))
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", *words, cwd=Path.cwd(), env=env, stdout=log, stderr=log
        )
    try:
        yield process
        if process.returncode is not None:
            raise RuntimeError(f"heal {' '.join(words)} ended: {(folder / 'log').read_text()[-1000:]}")
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _web(folder: Path, reported: dict[str, str], words: tuple[str, ...]) -> Row:
    """Until it is ready; then, after a quiet while, what it holds."""
    port = free_port()
    began = time.monotonic()
    async with _running(folder, {**reported, "HEAL_PORT": str(port)}, words) as process, httpx.AsyncClient() as client:
        while time.monotonic() - began < MAX_WAIT:
            try:
                if (await client.get(f"http://127.0.0.1:{port}/healthz")).status_code == 200:
                    break
            except httpx.HTTPError:
                await asyncio.sleep(0.05)
        seconds = time.monotonic() - began
        await asyncio.sleep(QUIET_SECONDS)
        held = _resident(process)
    return _row(" ".join(("heal", *words)) + ", idle", seconds, held)


async def _worker(folder: Path, reported: dict[str, str]) -> Row:
    """Until its log says that it is at work."""
    began = time.monotonic()
    async with _running(folder, reported, ("worker",)) as process:
        while AT_WORK not in (folder / "log").read_text() and time.monotonic() - began < MAX_WAIT:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        seconds = time.monotonic() - began
        if seconds > MAX_WAIT:
            raise RuntimeError(f"the worker did not begin: {(folder / 'log').read_text()[-1000:]}")
        await asyncio.sleep(QUIET_SECONDS)
        held = _resident(process)
    return _row("heal worker, idle", seconds, held)


def _resident(process: asyncio.subprocess.Process) -> float:
    """Megabytes of memory that a process holds; none where it has ended."""
    place = Path(f"/proc/{process.pid}/status")
    lines = place.read_text().splitlines() if process.returncode is None else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)
