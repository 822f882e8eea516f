"""A PostgreSQL of the tests' own: made, started and thrown away; skips where the machine has none."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

START_SECONDS = 30.0


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Gives the address of an empty database on 127.0.0.1. As root the server runs as the system's own user for it."""
    programs = _programs()
    user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    folder = Path(tempfile.mkdtemp(prefix="heal-pg-"))
    as_user = {"user": user} if os.geteuid() == 0 else {}
    try:
        if as_user:
            shutil.chown(folder, user)
        data = folder / "data"
        init = [programs / "initdb", "-D", data, "-U", "heal", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(init, check=True, capture_output=True, cwd="/", **as_user)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        serve = [programs / "postgres", "-D", data, "-p", str(port), "-k", folder, "-h", "127.0.0.1", "-F"]
        with subprocess.Popen(serve, stderr=subprocess.DEVNULL, cwd="/", **as_user) as server:
            try:
                _wait(programs, port)
                yield f"postgresql://heal@127.0.0.1:{port}/postgres"
            finally:
                server.terminate()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    """The folder with the server's programs: Debian keeps them out of PATH."""
    debians = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    found = shutil.which("postgres") or next(iter(debians), None)
    if found is None:
        pytest.skip("no PostgreSQL server on this machine (Debian's package: postgresql)")
    return Path(found).resolve().parent


def _wait(programs: Path, port: int) -> None:
    until = time.monotonic() + START_SECONDS
    ready = [programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
    while subprocess.run(ready, check=False).returncode != 0:
        assert time.monotonic() < until, "PostgreSQL did not start"
        time.sleep(0.05)
