"""Calls `heal` in a process of its own, forked from one that has loaded it."""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def call(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: bytes = b"", seconds: float = 120
) -> Ended:
    """`heal WORDS` in that folder, with exactly this environment. Raises TimeoutError after that many seconds, when
    the command was killed."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        socket.socket(socket.AF_UNIX) as verifier,
    ):
        given.write(stdin)
        given.seek(0)
        verifier.settimeout(seconds)
        verifier.connect(_server())
        asked = {"argv": list(words), "folder": str(folder), "environment": dict(environment)}
        socket.send_fds(verifier, [json.dumps(asked).encode()], [given.fileno(), out.fileno(), err.fileno()])
        code = _wait(verifier)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode())
    return Ended(code, *texts)


def _wait(verifier: socket.socket) -> int:
    with verifier.makefile() as lines:
        number = int(lines.readline())
        try:
            return int(lines.readline())
        except TimeoutError:
            os.killpg(number, signal.SIGKILL)  # it leads a session of its own
            raise


@cache
def _server() -> str:
    """The socket of this process's server, which ends with it."""
    folder = tempfile.mkdtemp(prefix="heal-test-commands-")
    path = f"{folder}/socket"
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.commands.server", path],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    atexit.register(_end, server, folder)
    return path


def _end(server: "subprocess.Popen[bytes]", folder: str) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.close()
    server.stdout.close()
    server.wait()
    shutil.rmtree(folder)
