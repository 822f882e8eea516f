"""Secrets planted all around Heal, looked for from inside; and Heal killed in the middle. Heal is a process of its own
here: as root where we are, and as an ordinary user, whose own files and processes the sandboxed command shares."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from healing.process.owner import Owner, hand_over
from healing.sandbox.job import Sandbox
from tests.sandbox.host import alive

ORDINARY = Owner(61185, 61185)
CANARY = "canary-90ab1e"
# Everything readable but the system's own folders, and every process's environment and command line.
HUNT = """
import os
skipped = {"/usr", "/lib", "/lib64", "/bin", "/sbin", "/sys", "/proc", "/dev", "/var/lib"}
word = b"canary-" + b"90ab1e"
looked = 0
def look(path):
    global looked
    try:
        with open(path, "rb") as found:
            said = found.read(1 << 20)
    except OSError:
        return
    looked += 1
    if word in said:
        print("FOUND", path)
for start in ["/", "/dev/shm", {places}]:
    for root, folders, files in os.walk(start):
        folders[:] = [name for name in folders if os.path.join(root, name) not in skipped][:2000]
        for name in files:
            if os.path.isfile(os.path.join(root, name)):
                look(os.path.join(root, name))
for pid in [*range(1, 400), {pids}, "self"]:
    for what in ("environ", "cmdline"):
        look(f"/proc/{pid}/{what}".replace("{pid}", str(pid)))
print("LOOKED", looked, word.decode() in str(os.environ))
"""


@dataclass(frozen=True)
class Laptop:
    """Where a Heal lives: its data folder, its home, and who it is."""

    data: Path
    home: Path
    python: str
    who: dict[str, Any]

    def start(self, back_end: str, *argv: str) -> subprocess.Popen[bytes]:
        home = str(self.home)
        environment = {"PATH": os.defpath, "GITHUB_TOKEN": CANARY, "HOME": home, "PYTHONPATH": home, "TMPDIR": home}
        command = [self.python, str(self.home / "laptop.py"), str(self.data), back_end, *argv]
        output = subprocess.PIPE
        return subprocess.Popen(command, cwd="/", env=environment, stdout=output, stderr=output, **self.who)


@pytest.fixture(params=["as we are", "as an ordinary user"])
def laptop(request: pytest.FixtureRequest) -> Iterator[Laptop]:
    root = os.geteuid() == 0
    ordinary = ORDINARY if root and request.param == "as an ordinary user" else None
    if not root and request.param == "as an ordinary user":
        pytest.skip("we are one already")
    home = Path(tempfile.mkdtemp(prefix="heal-test-home-"))
    data = home / "data"
    (home / ".ssh").mkdir()
    data.mkdir()
    (home / ".ssh" / "id").write_text(CANARY)
    (home / ".gitconfig").write_text(f"[http]\n\textraHeader = AUTHORIZATION: bearer {CANARY}\n")
    (data / "secrets.sqlite").write_text(CANARY)
    source = Path(__file__).parents[2] / "healing"
    shutil.copytree(source, home / "healing", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).with_name("laptop.py"), home)
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # even so
        hand_over(path, ordinary)
    python = f"/usr/bin/python3.{sys.version_info.minor}" if ordinary else sys.executable
    if not os.path.exists(python):
        pytest.skip("no interpreter here that an ordinary user can start")
    who = {"user": ordinary.uid, "group": ordinary.gid, "extra_groups": []} if ordinary else {}
    yield Laptop(data, home, python, who)
    shutil.rmtree(home)


# WT-4 WT-5
def test_no_canary_is_found_from_inside(sandbox: Sandbox, laptop: Laptop) -> None:
    places = f"{str(laptop.home)!r}, {str(laptop.data)!r}"
    hunt = HUNT.replace("{places}", places).replace("{pids}", str(os.getpid()))
    hunt = hunt.replace("[*range(1, 400)", "[os.getppid(), *range(os.getpid() - 40, os.getpid() + 5), *range(1, 400)")
    heal = laptop.start(sandbox.name, "/usr/bin/python3", "-c", hunt)
    output, errors = heal.communicate(timeout=60)
    assert heal.returncode == 0, errors.decode()
    assert b"FOUND" not in output
    assert b"LOOKED" in output
    assert b"True" not in output


def test_the_hunt_finds_the_canaries_where_nothing_is_kept_apart(laptop: Laptop) -> None:
    hunt = HUNT.replace("{places}", repr(str(laptop.home))).replace("{pids}", str(os.getpid()))
    hunt = hunt.replace('["/", "/dev/shm", ', "[").replace("[*range(1, 400)", "[os.getppid()")
    heal = laptop.start("unsafe", "/usr/bin/python3", "-c", hunt)
    output, _ = heal.communicate(timeout=60)
    assert output.count(b"FOUND") >= (4 if laptop.who or os.geteuid() else 3), output


# WT-5
def test_a_command_dies_with_heal(sandbox: Sandbox, laptop: Laptop) -> None:
    marker = f"66.{int.from_bytes(os.urandom(5))}"
    script = f"setsid sleep {marker} & sleep {marker}"
    heal = laptop.start(sandbox.name, "sh", "-c", script)
    while len(alive(f"sleep {marker}")) < 4 and heal.poll() is None:
        time.sleep(0.02)
    os.kill(heal.pid, signal.SIGKILL)
    heal.communicate(timeout=20)
    deadline = time.monotonic() + 20
    while alive(f"sleep {marker}") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert alive(f"sleep {marker}") == []
