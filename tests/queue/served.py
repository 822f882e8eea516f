"""`heal queue serve` as a process of its own on a real clone, and raw lines to its socket."""

import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.git.oracle import new_clone

ROOT = Path(__file__).parents[2]


@dataclass
class Served:
    """One clone with one data folder; the server may be started and killed."""

    room: Path
    files: dict[str, bytes]
    serving: "subprocess.Popen[bytes] | None" = None
    options: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        new_clone(self.clone, self.files)
        (self.room / "home").mkdir()
        (self.room / "home/.gitconfig").write_text("[user]\n\tname = Noor\n\temail = noor@example.test\n")
        heal = self.room / "bin/heal"
        heal.parent.mkdir()
        heal.write_text(f'#!/bin/sh\nexec {sys.executable} -m bot "$@"\n')
        heal.chmod(0o755)
        path = f"{heal.parent}:{os.environ['PATH']}"
        self.env = {"PATH": path, "HOME": str(self.room / "home"), "HEAL_DATA": str(self.room / "data")}
        self.env |= {"PYTHONPATH": str(ROOT), "GIT_CONFIG_NOSYSTEM": "1"}

    @property
    def clone(self) -> Path:
        return self.room / "clone"

    @property
    def socket(self) -> Path:
        (folder,) = (self.room / "data/queue").iterdir()
        return folder / "queue.sock"

    def start(self, *options: str) -> None:
        words = [sys.executable, "-m", "bot", "queue", "serve", *options]
        self.serving = subprocess.Popen(
            words, cwd=self.clone, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert self.serving.stdout is not None
        first = self.serving.stdout.readline()
        if b"listens" not in first:
            rest = self.serving.communicate(timeout=30)[0]
            raise AssertionError((first + rest).decode()[-2000:])

    def kill(self) -> None:
        assert self.serving is not None
        self.serving.kill()
        self.stop()

    def stop(self) -> int:
        """Ends it if it still runs; its exit code."""
        if self.serving is None:
            return 0
        self.serving.terminate()
        code = self.serving.wait(30)
        assert self.serving.stdout is not None
        self.serving.stdout.close()
        self.serving = None
        return code

    def run(self, *words: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
        argv = [sys.executable, "-m", "bot", "queue", *words]
        return subprocess.run(
            argv, cwd=cwd or self.clone, env=self.env, capture_output=True, text=True, timeout=120, check=False
        )

    def script(self, text: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """Runs a shell script in which `heal` is the real command."""
        argv = ["bash", "-euo", "pipefail", "-c", text]
        return subprocess.run(
            argv, cwd=cwd or self.clone, env=self.env, capture_output=True, text=True, timeout=120, check=False
        )

    def say(self, *lines: bytes | dict[str, object]) -> list[dict[str, Any]]:
        """Sends lines on one connection; the answers, as many as come before it is closed."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(20)
            line.connect(str(self.socket))
            with line.makefile("rwb") as talk:
                for one in lines:
                    talk.write(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n")
                    try:
                        talk.flush()
                    except BrokenPipeError:
                        break
                line.shutdown(socket.SHUT_WR)
                try:
                    return [json.loads(answer) for answer in talk]
                except ConnectionResetError:
                    return []

    def state(self) -> dict[str, Any]:
        (answer,) = self.say({"type": "STATUS"})
        return answer


def until(look: Any, seconds: float = 20) -> Any:
    """What `look` gives, as soon as that is true."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)
    return found
