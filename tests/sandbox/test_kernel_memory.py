"""Memory and inodes that no process of a job holds are bounded too: with a control group, and without one."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from healing.sandbox.cgroups import find_cgroups
from healing.sandbox.job import Limits, Sandbox
from healing.sandbox.watchdog import disk_full
from tests.sandbox.escapes.catalogue import ORDINARY
from tests.sandbox.escapes.scene import SYSTEM_PYTHON, credentials

HERE = Path(__file__).parent
LIMIT = 64 << 20
HELD = 200_000_000
PRELUDE = f"""
import array, ctypes, mmap, os, socket, sys, time
HELD = {HELD}
libc = ctypes.CDLL(None, use_errno=True)
def fill(socket):
    written = 0
    socket.setblocking(False)
    try:
        while True:
            written += socket.send(bytes(1 << 16))
    except BlockingIOError:
        return written
def pair():
    one, two = socket.socketpair()
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        one.setsockopt(socket.SOL_SOCKET, option, 4 << 20)
        two.setsockopt(socket.SOL_SOCKET, option, 4 << 20)
    return one, two, fill(one) + fill(two)
def keep(held):
    if held >= HELD:
        time.sleep(3)
        print("ESCAPED", held, flush=True)
"""
SOCKETS = """
reader, writer = os.pipe()
for _ in range(4):
    if os.fork() == 0:
        pairs, held = [], 0
        try:
            while held < HELD // 4:
                pairs.append(pair())
                held += pairs[-1][2]
        except OSError:
            pass
        os.write(writer, held.to_bytes(8, "little"))
        time.sleep(20)
held = 0
for _ in range(4):
    held += int.from_bytes(os.read(reader, 8), "little")
    print("held", held, flush=True)
keep(held)
"""
SENT_AWAY = """
held, kept = 0, []
try:
    while held < HELD:
        post, box = socket.socketpair()
        kept += [post, box]
        for _ in range(60):
            one, two, size = pair()
            socket.send_fds(post, [b"x"], [one.fileno(), two.fileno()])
            one.close(), two.close()
            held += size
except OSError as error:
    print(error)
keep(held)
"""
CONNECTIONS = """
held, kept = 0, []
try:
    listening = socket.create_server(("127.0.0.1", 0))
    while held < HELD:
        one = socket.create_connection(listening.getsockname())
        two = listening.accept()[0]
        kept += [one, two]
        one.settimeout(2), two.settimeout(2)  # a kernel that gives them no more room keeps them waiting
        for _ in range(400):  # what is read in time makes the kernel let both sides hold more
            one.sendall(bytes(1 << 16))
            left = 1 << 16
            while left:
                left -= len(two.recv(left))
        held += fill(one)
except OSError as error:
    print(error)
print(len(kept) // 2, "connections hold", held, flush=True)
keep(held)
"""
EMPTY_FILES = """
place, made = "/tmp/held", 0
os.mkdir(place)
try:
    while made * 1000 < HELD:
        os.close(os.open(f"{place}/{made}", os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError as error:
    print(error)
keep(made * 1000)
"""
FILES = """
held = 0
try:
    with open("/tmp/held", "wb") as out:
        while held < HELD:
            held += out.write(bytes(1 << 20))
except OSError as error:
    print(error)
keep(held)
"""
SEGMENTS = """
held = 0
libc.shmat.restype = ctypes.c_void_p
for _ in range(12):
    number = libc.shmget(0, ctypes.c_size_t(20 << 20), 0o1600)
    if number < 0:
        break
    place = libc.shmat(number, None, 0)
    ctypes.memset(place, 1, 20 << 20)
    libc.shmdt(ctypes.c_void_p(place))
    held += 20 << 20
keep(held)
"""
PAGE_TABLES = """
size, step = (HELD // 4096) * (2 << 20), 2 << 20
space = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
space.madvise(15)  # MADV_NOHUGEPAGE: a table for each piece
for place in range(0, size, step):
    space[place]
keep(HELD)
"""
PAGES = """
space = mmap.mmap(-1, HELD, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for place in range(0, HELD, 4096):
    space[place] = 1
keep(HELD)
"""
RESERVED = """
space = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE
for place in range(0, 1 << 40, 1 << 37):
    space[place] = 1
time.sleep(0.5)
print("reserved")
"""
# name: (script, whether it works without mounts of its own, without a network of its own and without a control group)
FLOODS = {
    "full socket pairs": (SOCKETS, True, True),
    "full sockets that are on their way to another": (SENT_AWAY, True, False),
    "full connections, whose buffers grew": (CONNECTIONS, True, True),
    "empty files in memory": (EMPTY_FILES, False, True),
    "large files in memory": (FILES, False, True),
    "segments of shared memory that nobody has attached": (SEGMENTS, True, True),
    "page tables": (PAGE_TABLES, True, True),
    "pages of one process": (PAGES, True, True),
}


@dataclass(frozen=True)
class Flooder:
    """A Heal with a copy of its sandbox, started as root or as an ordinary user."""

    home: Path
    ordinary: bool

    def flood(
        self, back_end: str, script: str, groups: bool, root: Path | None = None, limit: int = LIMIT
    ) -> dict[str, Any]:
        """How the job ended."""
        reported = {"script": script, "memory_bytes": limit, "groups": groups, "root": str(root) if root else None}
        python = SYSTEM_PYTHON if self.ordinary else sys.executable
        ended = subprocess.run(
            [python, str(self.home / "flooder.py"), str(self.home / "data"), back_end],
            input=json.dumps(reported).encode(),
            capture_output=True,
            cwd="/",
            env={"PATH": os.defpath, "PYTHONPATH": str(self.home), "TMPDIR": str(self.home / "data")},
            timeout=240,
            check=False,
            **credentials(ORDINARY if self.ordinary else None),
        )
        assert ended.returncode == 0, ended.stderr.decode()[-2000:]
        outcome: dict[str, Any] = json.loads(ended.stdout)
        return outcome


@pytest.fixture(params=["as it is started", "as an ordinary user"])
def flooder(request: pytest.FixtureRequest) -> Iterator[Flooder]:
    ordinary = request.param == "as an ordinary user"
    if ordinary and (os.geteuid() != 0 or not os.path.exists(SYSTEM_PYTHON)):
        pytest.skip("no other user to become, or no Python that it can start")
    home = Path(tempfile.mkdtemp(prefix="heal-test-flood-"))
    shutil.copytree(HERE.parents[1] / "healing", home / "healing", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / "flooder.py", home)
    (home / "data").mkdir()
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
        if ordinary:
            os.chown(path, ORDINARY.uid, ORDINARY.gid)
    yield Flooder(home, ordinary)
    shutil.rmtree(home)


# WT-5
@pytest.mark.parametrize("groups", [True, False], ids=["control group", "watch"])
@pytest.mark.parametrize("name", FLOODS)
def test_memory_that_no_process_holds_is_bounded(name: str, groups: bool, flooder: Flooder, sandbox: Sandbox) -> None:
    script, without_mounts, without_group = FLOODS[name]
    if sandbox.name == "landlock" and not without_mounts:
        pytest.skip("its temporary folder lies on a disk")
    if groups and (flooder.ordinary or find_cgroups() is None):
        pytest.skip("no control group can be had")
    if sandbox.name == "landlock" and not groups and not without_group:
        pytest.skip("bounded by the kernel at as many sockets as a process may have open: docs/security.md")
    ended = flooder.flood(sandbox.name, PRELUDE + script, groups)
    assert ended["grouped"] == groups
    assert "ESCAPED" not in ended["output"], ended
    assert "Traceback" not in ended["output"], ended
    assert ended["exit"] == 0 or ended["why"] == "memory limit 64 MiB", ended


# WT-5
@pytest.mark.parametrize("groups", [True, False], ids=["control group", "watch"])
def test_address_space_that_is_only_reserved_is_no_memory(groups: bool, flooder: Flooder, sandbox: Sandbox) -> None:
    """Sanitizers and Go's race detector reserve terabytes for what they note about each byte."""
    if groups and (flooder.ordinary or find_cgroups() is None):
        pytest.skip("no control group can be had")
    ended = flooder.flood(sandbox.name, PRELUDE + RESERVED, groups, limit=1 << 30)
    assert (ended["exit"], ended["output"].strip()) == (0, "reserved"), ended


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk with 20,000 inodes."""
    folder = Path(tempfile.mkdtemp(prefix="heal-test-disk-"))
    options = "size=700m,nr_inodes=20000,mode=755"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "heal", str(folder)], check=False)
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
    folder.rmdir()


MANY_FILES = """
try:
    for number in range(40_000):
        os.close(os.open(str(number), os.O_CREAT | os.O_WRONLY))
except OSError as error:
    print(error)
time.sleep(5)
print("ESCAPED")
"""


# WT-5
@pytest.mark.parametrize("flooder", ["as it is started"], indirect=True)
def test_a_job_that_uses_up_the_inodes_of_its_disk_is_ended(
    flooder: Flooder, sandbox: Sandbox, small_disk: Path
) -> None:
    root = small_disk / "worktree"
    root.mkdir()
    ended = flooder.flood(sandbox.name, PRELUDE + MANY_FILES, True, root)
    assert ended["why"].startswith("fewer than 1000 inodes left on the disk of "), ended
    assert "ESCAPED" not in ended["output"]


def test_a_disk_that_tells_of_no_inodes_and_one_that_is_gone_are_never_full(tmp_path: Path) -> None:
    limits = Limits(free_bytes=0, free_files=1 << 60)
    for folder in (Path("/proc"), tmp_path / "gone"):  # /proc counts no inodes, as btrfs
        assert disk_full(folder, limits) == ""
