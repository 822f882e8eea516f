"""Where a siege takes place: a Heal with a home of its own, and around it what there is to steal and to harm."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from healing.process.owner import Owner, hand_over
from tests.sandbox.host import CANARY, Host, host

HERE = Path(__file__).parent
SOURCE = HERE.parents[2] / "healing"
SYSTEM_PYTHON = f"/usr/bin/python3.{sys.version_info.minor}"
SECONDS = 180


def credentials(owner: Owner | None) -> dict[str, Any]:
    """What subprocess needs to start something as that user."""
    return {"user": owner.uid, "group": owner.gid, "extra_groups": []} if owner else {}


@dataclass(frozen=True)
class Ground:
    """Which back end, who Heal is (None: we), what it is started in (a container, say), and whether worktrees lie over
    a base that others share."""

    back_end: str
    heal: Owner | None = None
    inside_of: tuple[str, ...] = ()
    layered: bool = False


@dataclass
class Scene:
    """All that stands around one Heal."""

    ground: Ground
    home: Path
    host: Host
    second: subprocess.Popen[bytes]
    neighbour: subprocess.Popen[bytes]
    objects: dict[str, Any] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """What the attackers are told: they need not guess."""
        data = self.home / "data"
        return {
            **self.host.told(),
            **self.objects,
            "canary": CANARY,
            "home": str(self.home),
            "data": str(data),
            "data_secret": str(data / "secrets.sqlite"),
            "sibling": str(data / "trees" / "other"),
            "second": self.second.pid,
            "pids": [self.host.victim.pid, self.second.pid, self.neighbour.pid, os.getpid()],
            "addresses": addresses(),
            "nameservers": nameservers(),
            "datagrams": str(self.host.folder / "open" / "datagrams"),
        }

    def besiege(self, jobs: list[dict[str, Any]], everything: bool = False) -> dict[str, Any]:
        """Lets Heal run the jobs; `everything`: also the attempts against what its back end doesn't promise."""
        python = SYSTEM_PYTHON if self.ground.heal else sys.executable
        command = [*self.ground.inside_of, python, str(self.home / "siege.py"), str(self.home / "data")]
        home = str(self.home)
        environment = {"PATH": os.defpath, "GITHUB_TOKEN": CANARY, "HOME": home, "PYTHONPATH": home, "TMPDIR": home}
        wanted = {"all": everything, "layered": self.ground.layered, "told": self.told(), "jobs": jobs}
        ended = subprocess.run(
            [*command, self.ground.back_end],
            input=json.dumps(wanted).encode(),
            capture_output=True,
            cwd="/",
            env=environment,
            timeout=SECONDS,
            check=False,
            **credentials(self.ground.heal),
        )
        assert ended.returncode == 0, ended.stderr.decode()[-2000:]
        output: dict[str, Any] = json.loads(ended.stdout)
        return output

    def harm(self) -> list[str]:
        """What has become of what stands around."""
        assert self.neighbour.stdin
        assert self.neighbour.stdout
        self.neighbour.stdin.write(b"\n")
        self.neighbour.stdin.flush()
        lost = [f"{name} of another is gone" for name in json.loads(self.neighbour.stdout.readline())]
        for what, process in (("victim", self.host.victim), ("second", self.second)):
            lost += [f"the {what} was killed"] if process.poll() is not None else []
        outside = {path.name for path in (self.host.folder / "open").iterdir()}
        lost += [f"written outside: {name}" for name in sorted(outside - {"socket", "datagrams"})]
        sibling = self.home / "data" / "trees" / "other"
        there = {path.name: path.read_text() if path.is_file() else "" for path in sibling.iterdir()}
        lost += [f"changed: {name}" for name in ("file", "second", *there) if there.get(name) != CANARY]
        lost += [f"planted: {path}" for path in self.home.iterdir() if path.name not in KNOWN]
        with contextlib.suppress(BlockingIOError):
            lost += [f"a datagram arrived: {self.host.udp.recv(100)!r}"]
        return lost


KNOWN = {"data", "healing", "siege.py", ".ssh", ".gitconfig", ".netrc", ".bashrc", "__pycache__"}


@contextlib.contextmanager
def scene(ground: Ground, owner: Owner | None) -> Iterator[Scene]:
    """Sets it up, and takes it away; `owner` is whom sandboxed commands will belong to."""
    with contextlib.ExitStack() as stack:
        target = stack.enter_context(host(owner))
        home = Path(tempfile.mkdtemp(prefix="heal-test-siege-"))
        stack.callback(shutil.rmtree, home)
        _furnish(home, ground.heal, owner)
        datagrams = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        datagrams.bind(str(target.folder / "open" / "datagrams"))
        os.chmod(target.folder / "open" / "datagrams", 0o777)
        who = credentials(owner)
        second = subprocess.Popen(["sleep", f"61.{target.marker}"], env={"SECRET": CANARY, "PATH": os.defpath}, **who)
        neighbour = subprocess.Popen(
            [SYSTEM_PYTHON, "-c", (HERE / "neighbour.py").read_text(), target.marker],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            **who,
        )
        for process in (second, neighbour):
            stack.enter_context(process)
            stack.callback(process.kill)
        assert neighbour.stdout
        yield Scene(ground, home, target, second, neighbour, json.loads(neighbour.stdout.readline()))


def _furnish(home: Path, heal: Owner | None, owner: Owner | None) -> None:
    data, sibling = home / "data", home / "data" / "trees" / "other"
    (home / ".ssh").mkdir()
    sibling.mkdir(parents=True)
    for path in (home / ".ssh" / "id", home / ".gitconfig", home / ".netrc", home / ".bashrc", data / "secrets.sqlite"):
        path.write_text(CANARY)
    shutil.copytree(SOURCE, home / "healing", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / "siege.py", home)
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # even so
        hand_over(path, heal)
    for name in ("file", "second"):
        (sibling / name).write_text(CANARY)
        (sibling / name).chmod(0o666)
        hand_over(sibling / name, owner)
    hand_over(sibling, owner)


def addresses() -> list[str]:
    """This machine's own addresses beside loopback."""
    output = (
        subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout
        if shutil.which("hostname")
        else ""
    )
    return output.split()[:4]


def nameservers() -> list[str]:
    """Whom this machine asks for names."""
    with contextlib.suppress(OSError):
        lines = Path("/etc/resolv.conf").read_text().splitlines()
        return [line.split()[1] for line in lines if line.startswith("nameserver ")][:2]
    return []
