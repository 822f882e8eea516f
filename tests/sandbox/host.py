"""What there is on this machine to steal or to harm, planted for one attack."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from healing.process.owner import Owner, hand_over

CANARY = "canary-4f1d9c"


@dataclass
class Host:
    """What there is to steal or to harm: all of it open to the sandboxed user, so that only the sandbox protects it."""

    folder: Path
    port: int
    udp: socket.socket
    abstract: str
    victim: subprocess.Popen[bytes]
    marker: str
    heal: str = str(Path(__file__).parents[2])

    def told(self) -> dict[str, object]:
        """What the attacker is told: he needs not guess."""
        return {
            "secret": str(self.folder / "secret"),
            "outside": str(self.folder / "open"),
            "socket": str(self.folder / "open" / "socket"),
            "shm": f"/dev/shm/{self.marker}",
            "port": self.port,
            "udp": self.udp.getsockname()[1],
            "abstract": self.abstract,
            "victim": self.victim.pid,
            "marker": self.marker,
            "heal": self.heal,
            "packages": sys.path,
        }


@contextlib.contextmanager
def host(owner: Owner | None) -> Iterator[Host]:
    """Plants it all, and takes it away."""
    with contextlib.ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="heal-test-host-"))
        stack.callback(shutil.rmtree, folder)
        marker = f"7{int.from_bytes(os.urandom(4))}"
        (folder / "open").mkdir()
        (folder / "secret").write_text(CANARY)
        for path, mode in ((folder, 0o755), (folder / "open", 0o777), (folder / "secret", 0o666)):
            path.chmod(mode)
            hand_over(path, owner)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        for name in (f"\0{marker}", str(folder / "open" / "socket")):
            listening = stack.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(name)
            listening.listen()
        os.chmod(folder / "open" / "socket", 0o777)
        who = {"user": owner.uid, "group": owner.gid, "extra_groups": []} if owner else {}
        victim = subprocess.Popen(["sleep", f"60.{marker}"], env={"SECRET": CANARY, "PATH": os.defpath}, **who)
        stack.callback(victim.wait)
        stack.callback(victim.kill)
        yield Host(folder, tcp.getsockname()[1], udp, marker, victim, marker)


def alive(marker: str) -> list[int]:
    """The processes of this machine that have `marker` in their command line, not counting zombies."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if marker in Path("/proc", entry, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                found.append(int(entry))
    return found
