"""Ends a command whose process tree holds more memory than it may, or fills the disk.

Where the job is in a control group the kernel bounds its memory, and the watch only learns of it. Elsewhere it counts
what a job can make the kernel hold: pages of processes, their page tables, buffers of sockets, files in memory.
"""

import asyncio
import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from healing.sandbox.cgroups import Cgroup
from healing.sandbox.job import Job, Limits

LOOK_SECONDS = 0.2
PROC = Path("/proc")
IN_MEMORY = ("tmp", "dev/shm")  # folders of a sandbox with mounts of its own that lie in memory
FILE_BYTES = 1280  # what the kernel keeps for each file in memory, its name included
PART_KEPT_FREE = 20  # a twentieth of a disk's inodes where that is less than the limit
UNSEEN = 1024  # descriptors of a process that hides them: as many as it may have


@dataclass(frozen=True)
class Watch:
    """Looks at one job. `own_network`: its network namespace holds no socket but its own; its mounts are its own too
    then. `group` is its control group, if it has one; `temporary` is its temporary folder where that lies on a disk."""

    job: Job
    own_network: bool = False
    group: Cgroup | None = None
    temporary: Path | None = None

    @property
    def memory_limit(self) -> str:
        """How a job that held too much memory is reported to have ended."""
        return f"memory limit {self.job.limits.memory_bytes >> 20} MiB"

    async def until_too_much(self, pid: int) -> str:
        """Returns why the process and all below it have to end; never where they keep to their limits."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if self._memory_is_used_up(pid):
                return self.memory_limit
            for folder in (self.job.root, *([self.temporary] if self.temporary else [])):
                if why := disk_full(folder, self.job.limits):
                    return why

    def _memory_is_used_up(self, pid: int) -> bool:
        if self.group:
            return self.group.killed()
        most, tree = self.job.limits.memory_bytes, descendants(pid)
        beside = self._of_no_process(tree)
        # Shared pages count once a process in the first look, so a second one, dearer and fairer, decides.
        return (
            beside + sum(resident(one) for one in tree) > most
            and beside + sum(proportional(one) for one in tree) > most
        )

    def _of_no_process(self, tree: Sequence[int]) -> int:
        """Bytes that the kernel holds for the job and that are no process's."""
        inside = tree[1:]  # the first one is bubblewrap's own, outside
        if not self.own_network:
            return sockets_of(tree) * socket_bytes()
        kept = IN_MEMORY[1:] if self.job.home else IN_MEMORY
        files = next((size for one in inside if (size := files_in_memory(one, kept)) is not None), 0)
        return files + (of_network(inside[0]) if inside else 0)


def disk_full(folder: Path, limits: Limits) -> str:
    """Why a job that writes to this disk has to end: bytes or inodes that other users can still take are nearly used
    up. Empty where they are not, or where the folder is gone."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return ""
    if disk.f_bavail * disk.f_frsize < limits.free_bytes:
        return f"less than {limits.free_bytes >> 20} MiB left on the disk of {folder}: free some, or name another"
    least = min(limits.free_files, disk.f_files // PART_KEPT_FREE)  # some disks make inodes at need and tell of none
    if disk.f_files and disk.f_favail < least:
        return f"fewer than {least} inodes left on the disk of {folder}: remove files, or name another"
    return ""


def descendants(pid: int) -> list[int]:
    """The process and everything it started that is still below it, parents first."""
    children: dict[int, list[int]] = {}
    for child, parent in parents():
        children.setdefault(parent, []).append(child)
    found = [pid]
    for one in found:
        found.extend(children.get(one, ()))
    return found


def parents() -> Iterator[tuple[int, int]]:
    """(process id, parent's id) of all that can be seen; a process may end while we look."""
    for entry in os.listdir(PROC):
        if entry.isdigit():
            try:
                stat = _glimpse(f"/proc/{entry}/stat")
            except OSError:
                continue
            yield int(entry), int(stat.rpartition(b")")[2].split()[1])


def _glimpse(path: str) -> bytes:
    """The beginning of a file: of all processes five times a second, so without what `open` does besides."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, 4096)
    finally:
        os.close(fd)


def resident(pid: int) -> int:
    """Bytes of the process that are in memory, its page tables included; 0 when it is gone."""
    return _kilobytes(f"/proc/{pid}/status", b"VmRSS:", b"VmPTE:")


def proportional(pid: int) -> int:
    """Like `resident`, a page shared by n processes counted as 1/n where the kernel tells."""
    pages = _kilobytes(f"/proc/{pid}/smaps_rollup", b"Pss:")
    return pages + _kilobytes(f"/proc/{pid}/status", b"VmPTE:") if pages else resident(pid)


def _kilobytes(path: str, *names: bytes) -> int:
    """The sum of these lines of a file of /proc, in bytes."""
    try:
        lines = _glimpse(path).splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(names))


def of_network(pid: int) -> int:
    """Bytes that the sockets of the process's network namespace can hold or, for connections whose buffers the kernel
    let grow, do hold."""
    return sockets_beside(pid) * socket_bytes() + unread_by_connections(pid)


def socket_bytes() -> int:
    """The most that a socket can hold unread: nobody inside can raise it (`seccomp.py`); for TCP the kernel does."""
    try:
        return int(_glimpse("/proc/sys/net/core/wmem_default"))
    except OSError:
        return 212_992


def sockets_beside(pid: int) -> int:
    """How many sockets there are in the network namespace of the process, on their way to somebody included."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(_glimpse(f"/proc/{pid}/net/sockstat").split()[2])
    return 0


def unread_by_connections(pid: int) -> int:
    """Bytes in the buffers of the TCP connections in the network namespace of the process."""
    found = 0
    for counts, name in (("sockstat", "tcp"), ("sockstat6", "tcp6")):
        with contextlib.suppress(OSError, IndexError, ValueError):
            if _in_use(_glimpse(f"/proc/{pid}/net/{counts}"), name.upper().encode()):  # their list takes milliseconds
                lines = Path(f"/proc/{pid}/net/{name}").read_bytes().splitlines()[1:]
                found += sum(int(size, 16) for line in lines for size in line.split()[4].split(b":"))
    return found


def _in_use(counts: bytes, name: bytes) -> int:
    """How many sockets of this kind a file like /proc/net/sockstat counts."""
    return next(int(line.split()[2]) for line in counts.splitlines() if line.startswith(name + b": inuse "))


def sockets_of(tree: Sequence[int]) -> int:
    """How many different sockets the processes have open."""
    sockets: set[str] = set()
    hidden = 0
    for pid in tree:
        try:
            for fd in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(FileNotFoundError):
                    target = os.readlink(f"/proc/{pid}/fd/{fd}")
                    sockets.update([target] if target.startswith("socket:") else [])
        except PermissionError:
            hidden += UNSEEN
        except OSError:
            continue
    return len(sockets) + hidden


def files_in_memory(pid: int, folders: Sequence[str]) -> int | None:
    """Bytes of the files that the process sees in these folders; None where it can't be looked at."""
    try:
        disks = [os.statvfs(f"/proc/{pid}/root/{folder}") for folder in folders]
    except OSError:
        return None
    return sum((d.f_blocks - d.f_bfree) * d.f_frsize + (d.f_files - d.f_ffree) * FILE_BYTES for d in disks)
