"""Ends a command whose process tree holds more memory than it may, or fills the disk."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

from healing.sandbox.job import Job, Limits

LOOK_SECONDS = 0.2
PAGE = os.sysconf("SC_PAGE_SIZE")
PROC = Path("/proc")


def limits_watch(job: Job) -> Callable[[int], Coroutine[Any, Any, str]]:
    """A watch for `healing.shell.run` that returns why the tree has to end: it holds more memory than the job may, or
    the worktree's disk is nearly full."""

    async def watch(pid: int) -> str:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if why := _too_much(job.limits, job.root, pid):
                return why

    return watch


def _too_much(limits: Limits, root: Path, pid: int) -> str:
    most, tree = limits.memory_bytes, descendants(pid)
    # Shared pages count once a process in the first look, so a second one, dearer and fairer, decides.
    if sum(resident(one) for one in tree) > most and sum(proportional(one) for one in tree) > most:
        return f"memory limit {most >> 20} MiB"
    if free_bytes(root) < limits.free_bytes:
        return f"less than {limits.free_bytes >> 20} MiB left on the disk of {root}: free some, or name another"
    return ""


def free_bytes(folder: Path) -> int:
    """What an ordinary user can still write there; as if without end where the folder is gone."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return sys.maxsize
    return disk.f_bavail * disk.f_frsize


def descendants(pid: int) -> list[int]:
    """The process and everything it started that is still below it."""
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
    """Bytes of the process that are in memory; 0 when it is gone."""
    try:
        return int((PROC / str(pid) / "statm").read_bytes().split()[1]) * PAGE
    except OSError:
        return 0


def proportional(pid: int) -> int:
    """Like `resident`, a page shared by n processes counted as 1/n where the kernel tells."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_bytes().splitlines()
    except OSError:
        return resident(pid)
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(b"Pss:"))
