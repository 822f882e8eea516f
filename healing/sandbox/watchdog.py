"""Ends a command whose process tree uses too much memory or fills the disk.

Where the job is in a control group, the kernel limits its memory and the watchdog only detects that. Elsewhere it
counts what a job makes the kernel hold: pages of processes, their page tables, socket buffers, files in memory.
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
IN_MEMORY = ("tmp", "dev/shm")  # folders that lie in memory, in a sandbox with mounts of its own
FILE_BYTES = 1280  # kernel memory for each file in memory, including its name
PART_KEPT_FREE = 20  # 1/20 of a disk's inodes is enough where that is less than the limit
UNSEEN = 1024  # assumed descriptors of a process whose own are unreadable: as many as it may have


@dataclass(frozen=True)
class Watch:
    """Watches one job. `own_network`: its network namespace contains only its own sockets; then its mounts are its own
    too. `group` is its control group, if it has one; `temporary` is its temporary folder where that lies on a disk."""

    job: Job
    own_network: bool = False
    group: Cgroup | None = None
    temporary: Path | None = None

    @property
    def memory_limit(self) -> str:
        """The reason that is reported for a job that used too much memory."""
        return f"memory limit {self.job.limits.memory_bytes >> 20} MiB"

    async def wait_for_limit(self, pid: int) -> str:
        """Return why the process and its descendants have to end; never returns while they stay within their limits."""
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
        limit, tree = self.job.limits.memory_bytes, descendants(pid)
        kernel_memory = self._kernel_memory(tree)
        # The cheap first count includes shared pages once per process; the exact, slower one decides.
        return (
            kernel_memory + sum(resident(member) for member in tree) > limit
            and kernel_memory + sum(proportional(member) for member in tree) > limit
        )

    def _kernel_memory(self, tree: Sequence[int]) -> int:
        """Bytes that the kernel holds for the job outside of any process."""
        inside = tree[1:]  # the first is bubblewrap's own process, outside
        if not self.own_network:
            return sockets_of(tree) * socket_bytes()
        kept = IN_MEMORY[1:] if self.job.home else IN_MEMORY
        files = next((size for member in inside if (size := files_in_memory(member, kept)) is not None), 0)
        return files + (of_network(inside[0]) if inside else 0)


def disk_full(folder: Path, limits: Limits) -> str:
    """Why a job that writes to this disk has to end: the bytes or inodes left for other users are nearly used up. Empty
    where they are not, or where the folder is gone."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return ""
    if disk.f_bavail * disk.f_frsize < limits.free_bytes:
        return f"less than {limits.free_bytes >> 20} MiB left on the disk of {folder}: free some, or name another"
    least = min(limits.free_files, disk.f_files // PART_KEPT_FREE)  # some disks create inodes on demand, reporting 0
    if disk.f_files and disk.f_favail < least:
        return f"fewer than {least} inodes left on the disk of {folder}: remove files, or name another"
    return ""


def descendants(pid: int) -> list[int]:
    """The process and all of its descendants, parents first."""
    children: dict[int, list[int]] = {}
    for child, parent in parents():
        children.setdefault(parent, []).append(child)
    pids = [pid]
    for member in pids:
        pids.extend(children.get(member, ()))
    return pids


def parents() -> Iterator[tuple[int, int]]:
    """Yield (process id, parent's id) of all visible processes; a process may end meanwhile."""
    for entry in os.listdir(PROC):
        if entry.isdigit():
            try:
                stat = _read_start(f"/proc/{entry}/stat")
            except OSError:
                continue
            yield int(entry), int(stat.rpartition(b")")[2].split()[1])


def _read_start(path: str) -> bytes:
    """The first 4096 bytes of a file. Called for all processes five times a second, so it avoids the overhead of
    `open`."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, 4096)
    finally:
        os.close(fd)


def resident(pid: int) -> int:
    """Bytes of the process that are in memory, including its page tables; 0 when it is gone."""
    return _kilobytes(f"/proc/{pid}/status", b"VmRSS:", b"VmPTE:")


def proportional(pid: int) -> int:
    """Like `resident`, but a page shared by n processes counts as 1/n where the kernel reports that."""
    pages = _kilobytes(f"/proc/{pid}/smaps_rollup", b"Pss:")
    return pages + _kilobytes(f"/proc/{pid}/status", b"VmPTE:") if pages else resident(pid)


def _kilobytes(path: str, *names: bytes) -> int:
    """The sum of these lines of a file in /proc, in bytes."""
    try:
        lines = _read_start(path).splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(names))


def of_network(pid: int) -> int:
    """Bytes that the sockets of the process's network namespace can hold; for connections whose buffers the kernel has
    let grow, what they do hold."""
    return sockets_beside(pid) * socket_bytes() + unread_by_connections(pid)


def socket_bytes() -> int:
    """The most that a socket can hold unread. No process inside can raise it (`seccomp.py`); for TCP the kernel
    does."""
    try:
        return int(_read_start("/proc/sys/net/core/wmem_default"))
    except OSError:
        return 212_992


def sockets_beside(pid: int) -> int:
    """The number of sockets in the process's network namespace, including those in transit between processes."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(_read_start(f"/proc/{pid}/net/sockstat").split()[2])
    return 0


def unread_by_connections(pid: int) -> int:
    """Bytes in the buffers of the TCP connections in the process's network namespace."""
    total = 0
    for counts, name in (("sockstat", "tcp"), ("sockstat6", "tcp6")):
        with contextlib.suppress(OSError, IndexError, ValueError):
            if _in_use(
                _read_start(f"/proc/{pid}/net/{counts}"), name.upper().encode()
            ):  # reading their list takes milliseconds
                lines = Path(f"/proc/{pid}/net/{name}").read_bytes().splitlines()[1:]
                total += sum(int(size, 16) for line in lines for size in line.split()[4].split(b":"))
    return total


def _in_use(counts: bytes, name: bytes) -> int:
    """The number of sockets of this kind in a file like /proc/net/sockstat."""
    return next(int(line.split()[2]) for line in counts.splitlines() if line.startswith(name + b": inuse "))


def sockets_of(tree: Sequence[int]) -> int:
    """The number of different sockets that the processes have open."""
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
    """Bytes of the files that the process sees in these folders; None where they can't be read."""
    try:
        disks = [os.statvfs(f"/proc/{pid}/root/{folder}") for folder in folders]
    except OSError:
        return None
    return sum((d.f_blocks - d.f_bfree) * d.f_frsize + (d.f_files - d.f_ffree) * FILE_BYTES for d in disks)
