"""A PostgreSQL of the tests' own: made, started and thrown away; skips where the machine has none."""

import atexit
import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from healing.sandbox.watchdog import descendants
from lab.free_port import free_port

START_SECONDS = 30.0


@dataclass
class Server:
    """One server, that can be killed and started again on its data."""

    url: str
    port: int
    _command: list[str | Path]
    _as_user: dict[str, str]
    _wait: Callable[[], None]
    _process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Returns when it answers."""
        self._process = subprocess.Popen(self._command, stderr=subprocess.DEVNULL, cwd="/", **self._as_user)  # type: ignore[call-overload]
        self._wait()

    def kill(self) -> None:
        """SIGKILL for all of it, as when its machine loses power."""
        assert self._process is not None
        pids = [self._process.pid, *descendants(self._process.pid)[1:]]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Ends it without waiting for who is connected."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Gives the address of an empty database on 127.0.0.1, of a server that the tests of this process share."""
    import psycopg

    server = _shared_server()
    name = f"test_{next(_NUMBERS)}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    try:
        yield server.url.removesuffix("postgres") + name
    finally:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


_NUMBERS = itertools.count(1)


@cache
def _shared_server() -> Server:
    """Made once: that takes more than all that a test does with it."""
    ending = contextlib.ExitStack()
    server = ending.enter_context(postgres_server())
    atexit.register(ending.close)
    return server


@contextlib.contextmanager
def postgres_server(*addresses: str) -> Iterator[Server]:
    """A server of one's own, that listens on these addresses of the machine too. As root it runs as the system's own
    user for it."""
    programs = _programs()
    user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    folder = Path(tempfile.mkdtemp(prefix="heal-pg-"))
    as_user = {"user": user} if os.geteuid() == 0 else {}
    try:
        if as_user:
            shutil.chown(folder, user)
        data = folder / "data"
        init: list[str | Path] = [
            programs / "initdb", "-D", data, "-U", "heal", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
        ]  # fmt: skip
        subprocess.run(init, check=True, capture_output=True, cwd="/", **as_user)  # type: ignore[call-overload]
        port = free_port()
        listen = ",".join(("127.0.0.1", *addresses))
        serve: list[str | Path] = [
            programs / "postgres", "-D", data, "-p", str(port), "-k", folder, "-h", listen, "-F"
        ]  # fmt: skip
        with (data / "pg_hba.conf").open("a") as rules:
            rules.writelines(f"host all all {address}/24 trust\n" for address in addresses)
        url = f"postgresql://heal@127.0.0.1:{port}/postgres"
        server = Server(url, port, serve, as_user, lambda: _wait(programs, port))
        try:
            server.start()
            yield server
        finally:
            server.stop()
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
    ready: list[str | Path] = [programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
    while subprocess.run(ready, check=False).returncode != 0:
        assert time.monotonic() < until, "PostgreSQL did not start"
        time.sleep(0.05)
