"""To take more than a share: memory, disk, processes, output, time. Each has limits and a start of its own."""

import os
from dataclasses import replace
from pathlib import Path

from healing.process.shell import Completed
from healing.sandbox import promises
from healing.sandbox.job import Limits
from tests.sandbox.attacks import DAEMON, MB, Attack, output_grew, survivors
from tests.sandbox.host import Host, alive


def generations(host: Host, _: Completed) -> str:
    """Processes of the flood itself that still run: all of them have what they were told in their command line."""
    left = alive(f'"marker": "{host.marker}"')
    return f"still running: {left}" if left else ""


def free_now(flood: Attack, folder: Path) -> Attack:
    """The flood with the disk's limit, which is told as what may still be written, made a limit of this disk now."""
    if flood.limits.free_bytes == Limits().free_bytes:
        return flood
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize - flood.limits.free_bytes
    return replace(flood, limits=replace(flood.limits, free_bytes=free))


SLOW = {"a fork bomb", "a family that outruns its killer"}
FLOODS: dict[str, tuple[str, Attack]] = {
    "memory that is in no process": (
        promises.MEMORY_BOUNDED,
        Attack(
            """
def hoard():
    held = [os.memfd_create(str(number)) for number in range(5)]
    for fd in held:
        for _ in range(90):
            os.write(fd, bytes(1 << 20))
    return True
tries("450 MB", hoard)
""",
            limits=Limits(seconds=20, memory_bytes=300 * MB),
        ),
    ),
    "the disk filled with files": (
        promises.DISK_KEPT_FREE,
        Attack(
            """
for number in range(100):
    with open(f"big{number}", "wb") as out:
        for _ in range(10):
            out.write(bytes(1 << 20))
            time.sleep(0.005)
print("ESCAPED: 1000 MB")
""",
            limits=Limits(seconds=20, free_bytes=60 * MB),
            killed="less than ",
        ),
    ),
    "one line without an end": (
        promises.OUTPUT_BOUNDED,
        Attack(
            """
for _ in range(2000):
    os.write(1, b"x" * 10000)
""",
            output_grew,
            limits=Limits(seconds=20, output_bytes=MB),
        ),
    ),
    "lines without an end": (
        promises.OUTPUT_BOUNDED,
        Attack(
            """
while True:
    os.write(2, b"no\\n" * 2000)
""",
            output_grew,
            limits=Limits(seconds=1, output_bytes=MB),
            killed="time limit 1 s",
        ),
    ),
    "more open files than any": (
        promises.FILES_BOUNDED,
        Attack('tries("5000", lambda: [os.open("/dev/null", os.O_RDONLY) for _ in range(5000)])\n'),
    ),
    "limits raised again": (
        promises.FILES_BOUNDED,
        Attack(
            """
for name in ("NOFILE", "NPROC", "FSIZE", "CORE"):
    kind = getattr(resource, "RLIMIT_" + name)
    hard = resource.getrlimit(kind)[1]
    tries(name, lambda: hard == resource.RLIM_INFINITY)
    tries(name, lambda: resource.setrlimit(kind, (hard + 1, hard + 1)) is None)
# A limit of 0 would let a core go to the program that core_pattern names, outside and as root; 1 does not.
tries("core", lambda: resource.getrlimit(resource.RLIMIT_CORE) != (1, 1))
if os.fork() == 0:
    os.abort()
os.wait()
tries("core file", lambda: [name for name in os.listdir(".") if name.startswith("core")])
"""
        ),
    ),
    "threads": (
        promises.PROCESSES_BOUNDED,
        Attack(
            """
import threading
def start():
    for _ in range(300):
        threading.Thread(target=time.sleep, args=(3,), daemon=True).start()
    return True
try:
    tries("300 threads", start)
except RuntimeError:
    pass
os._exit(0)
""",
            limits=Limits(seconds=20, processes=40),
        ),
    ),
    "stopped for good": (
        promises.TIME_BOUNDED,
        Attack("os.kill(os.getpid(), signal.SIGSTOP)\n", limits=Limits(seconds=1), killed="time limit 1 s"),
    ),
    "a quiet hang behind closed outputs": (
        promises.TIME_BOUNDED,
        Attack(
            """
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
os.closerange(0, 3)
while True:
    time.sleep(60)
""",
            limits=Limits(seconds=1),
            killed="time limit 1 s",
        ),
    ),
    "daemons that live on after a good end": (promises.TREE_DIES, Attack(DAEMON + "os._exit(0)\n", survivors)),
    "a fork bomb": (
        promises.PROCESSES_BOUNDED,
        Attack(
            """
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
            generations,
            limits=Limits(seconds=2, processes=60),
            killed="time limit 2 s",
        ),
    ),
    "a family that outruns its killer": (
        promises.TREE_DIES,
        Attack(
            """
for _ in range(10):
    if os.fork() == 0:
        while True:
            try:
                if os.fork():
                    os._exit(0)
            except OSError:
                pass
            os.setsid()
time.sleep(60)
""",
            generations,
            limits=Limits(seconds=2, processes=60),
            killed="time limit 2 s",
        ),
    ),
}
