"""Heal as a process of its own that can be killed at any instant, and what it must not leave behind."""

import asyncio
import contextlib
import os
import signal
import sqlite3
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from healing.sandbox.watchdog import descendants

ROOT = Path(__file__).parents[2]
START_SECONDS = 120.0
STOP_SECONDS = 60.0  # an operator's systemd waits for 90
STRAYS_END_WITHIN = 15.0  # the sandbox's own sweep may take ten seconds


@dataclass
class HealProcess:
    """`python -m bot serve`, or other `words`, in a data folder that outlives it. `code` is where Heal itself lies."""

    data: Path
    port: int
    environment: dict[str, str]
    words: tuple[str, ...] = ("serve",)
    code: Path = ROOT
    lives: int = 0
    _process: asyncio.subprocess.Process | None = None
    _below: list[tuple[int, str]] = field(default_factory=list)  # what ran below it when it was killed

    @property
    def pid(self) -> int:
        """Of the life that is now."""
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> str:
        """What it said, in all its lives."""
        path = self.data / "heal.log"
        return path.read_text(errors="replace") if path.exists() else ""

    async def start(self) -> None:
        """Starts it; returns when it takes webhooks."""
        await self.launch()
        assert self._process is not None
        until = time.monotonic() + START_SECONDS
        async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
            while time.monotonic() < until and self._process.returncode is None:
                with contextlib.suppress(httpx.HTTPError):
                    if (await client.get(f"http://127.0.0.1:{self.port}/readyz")).status_code == 200:
                        return
                await asyncio.sleep(0.05)
        raise AssertionError(f"`heal serve` did not start; it said:\n{self.log[-3000:]}")

    async def launch(self) -> None:
        """Starts it, and doesn't wait."""
        self.lives += 1
        with (self.data / "heal.log").open("ab") as log:
            log.write(f"=== life {self.lives}\n".encode())
            log.flush()
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", *self.words, cwd=self.code, env=self.environment, stdout=log, stderr=log
            )

    @property
    def living(self) -> bool:
        """Whether it runs, or stands still."""
        return self._process is not None and self._process.returncode is None

    def rows(self, query: str) -> list[Any]:
        """What its books answer."""
        with contextlib.closing(sqlite3.connect(f"file:{self.data}/heal.db?mode=ro", uri=True)) as books:
            return books.execute(query).fetchall()

    def left(self) -> list[str]:
        """Worktrees of dead lives, worktrees in use, and half-made things in its data folder. The few spare copies
        that a living process keeps for its next worktrees are its own."""
        sessions = [path for path in (self.data / "trees").glob("*") if path.is_dir()]
        dead = [path.name for path in sessions if not (self.living and path.name.startswith(f"{self.pid}-"))]
        used = [path.name for session in sessions for path in session.iterdir() if not path.name.startswith("spare-")]
        return [*dead, *used, *(path.name for path in self.data.glob("**/.making-*"))]

    async def kill(self) -> None:
        """SIGKILL, at once; returns when it is dead. Does nothing to a dead one."""
        if self._process is None or self._process.returncode is not None:
            return
        os.kill(self.pid, signal.SIGSTOP)  # so that what runs below it can be listed first
        self._below = [(pid, _started(pid)) for pid in descendants(self.pid)[1:]]
        os.kill(self.pid, signal.SIGKILL)
        await self._process.wait()

    async def nothing_survives(self) -> None:
        """Waits until all that ran below the killed process is dead too. Raises AssertionError where it lives on."""
        until = time.monotonic() + STRAYS_END_WITHIN
        while left := [pid for pid, started in self._below if started and _started(pid) == started]:
            assert time.monotonic() < until, f"these outlived Heal: {[_command(pid) for pid in left]}"
            await asyncio.sleep(0.05)

    async def stop(self) -> None:
        """Ends it as an operator would. Raises AssertionError where it takes too long."""
        assert self._process is not None
        self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), STOP_SECONDS)
        except TimeoutError:
            raise AssertionError(f"{self.words} did not end; it said:\n{self.log[-3000:]}") from None


def _started(pid: int) -> str:
    """When a process was started, in ticks since boot; empty when it is gone or dead already."""
    with contextlib.suppress(OSError):
        state, *rest = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return "" if state in "ZX" else rest[18]
    return ""


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200]
    return ""


def runs_below(pid: int, word: str) -> bool:
    """Whether a command with this word in it runs below a process."""
    return any(word in _command(one) for one in descendants(pid)[1:])
