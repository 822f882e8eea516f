"""Control groups: the kernel's own bound on all memory of a job, its sockets' buffers, files in memory and page tables
included.

Both versions of the kernel's interface are used: version 2, and the memory controller of version 1 where the machine
has that one. Where Heal may not make groups the watch of `watchdog.py` counts instead.
"""

import contextlib
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PREFIX = "heal-job-"
LEFT_OVER_SECONDS = 60.0  # older groups without a process belong to a Heal that was killed
SPARE_PROCESSES = 16  # for the programs that start the job
GONE_SECONDS = 5.0
MOUNTS = Path("/proc/self/mountinfo")
OWN = Path("/proc/self/cgroup")
LIMIT_FILES = {1: "memory.limit_in_bytes", 2: "memory.max"}  # of each version


@dataclass(frozen=True)
class Cgroup:
    """The group of one job."""

    path: Path
    version: int

    def admit(self, pid: int) -> None:
        """Moves the process and what it started into the group. Nothing of them may run foreign code yet: they may
        start more meanwhile, which is looked for until there is none. Raises OSError."""
        members = self.path / "cgroup.procs"
        admitted: set[int] = set()
        while fresh := [one for one in _tree(pid) if one not in admitted]:
            for one in fresh:
                with contextlib.suppress(ProcessLookupError):
                    _write(members, one)
                admitted.add(one)

    def killed(self) -> bool:
        """Whether the kernel ended a process of the group because the memory was used up."""
        file = self.path / ("memory.events" if self.version == 2 else "memory.oom_control")
        with contextlib.suppress(OSError, ValueError):
            counts = dict(line.split() for line in file.read_text().splitlines())
            return int(counts.get("oom_kill", 0)) > 0
        return False

    def removed(self) -> bool:
        """Removes the group unless a process is in it; whether it is gone."""
        try:
            self.path.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def remove(self) -> None:
        """Ends whatever is still in the group and removes it."""
        deadline = time.monotonic() + GONE_SECONDS
        while not self.removed() and time.monotonic() < deadline:
            self._kill()
            time.sleep(0.005)

    def _kill(self) -> None:
        with contextlib.suppress(OSError):
            for pid in (self.path / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)


@dataclass(frozen=True)
class Cgroups:
    """A folder in which Heal may make groups for jobs, and the group that Heal itself is in."""

    parent: Path
    own: Path
    version: int

    def warm(self) -> None:
        """Moves Heal to where it is. The first move for a while waits some ten milliseconds until no processor forks;
        those after it don't. So this one can be made to wait while the job is being started."""
        with contextlib.suppress(OSError):
            _write(self.own / "cgroup.procs", os.getpid())

    def make(self, memory_bytes: int, processes: int) -> Cgroup:
        """A new group with these limits. Raises OSError."""
        made = Cgroup(self.parent / f"{PREFIX}{secrets.token_hex(8)}", self.version)
        made.path.mkdir()
        try:
            for file, value, needed in _limits(self.version, memory_bytes, processes):
                if needed or (made.path / file).exists():
                    _write(made.path / file, value)
        except OSError:
            made.remove()
            raise
        return made


def find_cgroups() -> Cgroups | None:
    """Where groups can be made, found out by making one and moving a process into it; None where that is nowhere."""
    for version, parents in _candidates():
        for place, parent in enumerate(parents):
            found = Cgroups(parent, parents[0], version)
            _sweep(parent)
            with contextlib.suppress(OSError):
                if (
                    version == 2 and place < 2
                ):  # Heal's own group and the one around it; others are not Heal's to change
                    _enable(parent)
                _try_out(found)
                return found
    return None


def _limits(version: int, memory_bytes: int, processes: int) -> tuple[tuple[str, int, bool], ...]:
    """(file, value, whether a kernel that lacks it can't be used)"""
    if version == 2:
        return (
            (LIMIT_FILES[2], memory_bytes, True),
            ("memory.swap.max", 0, False),
            ("memory.oom.group", 1, False),
            ("pids.max", processes + SPARE_PROCESSES, False),
        )
    return (
        (LIMIT_FILES[1], memory_bytes, True),
        ("memory.memsw.limit_in_bytes", memory_bytes, False),
        ("memory.kmem.tcp.limit_in_bytes", memory_bytes, False),  # version 1 counts them apart, and only if asked to
    )


def available_memory() -> int:
    """Bytes of memory that this process could have at most: the machine's, or less where a group around it, as that of
    a container, has a limit."""
    found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for version, groups in _candidates():
        for group in groups:
            with contextlib.suppress(OSError, ValueError):  # "max", or a group above what is mounted
                found.append(int((group / LIMIT_FILES[version]).read_text()))
    return min(found)


def _candidates() -> Iterator[tuple[int, list[Path]]]:
    """For each version that is mounted: Heal's own group, then those around it up to the mount."""
    lines = [line.split(":", 2) for line in OWN.read_text().splitlines()] if OWN.exists() else []
    own = {2 if controllers == "" else 1: path for _, controllers, path in lines if _holds_memory(controllers)}
    for version, root, point in sorted(_mounted(), reverse=True):
        path = own.get(version)
        if path is not None and Path(path).is_relative_to(root):
            inside = Path(path).relative_to(root)
            yield version, [point / one for one in (inside, *inside.parents)]


def _holds_memory(controllers: str) -> bool:
    return controllers == "" or "memory" in controllers.split(",")


def _mounted() -> Iterator[tuple[int, str, Path]]:
    """(version, which group is the mount's root, mount point)"""
    for line in MOUNTS.read_text().splitlines() if MOUNTS.exists() else ():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        root, point = before.split()[3:5]
        if kind == "cgroup2":
            yield 2, root, Path(point)
        elif kind == "cgroup" and "memory" in options.split(","):
            yield 1, root, Path(point)


def _enable(parent: Path) -> None:
    """Lets groups below have limits, as far as the kernel takes it: not where processes are in `parent` itself."""
    for controller in ("memory", "pids"):
        with contextlib.suppress(OSError):
            if controller not in (parent / "cgroup.subtree_control").read_text().split():
                (parent / "cgroup.subtree_control").write_text(f"+{controller}")


def _try_out(groups: Cgroups) -> None:
    """Raises OSError where a process can't be put under a limit."""
    group = groups.make(1 << 30, 16)
    try:
        with subprocess.Popen(["/bin/sleep", "5"], stdin=subprocess.DEVNULL) as process:
            try:
                group.admit(process.pid)
                members = (group.path / "cgroup.procs").read_text().split()
            finally:
                process.kill()
    finally:
        group.remove()
    if str(process.pid) not in members:
        raise ProcessLookupError(f"{process.pid} is not in {group.path}")


def _sweep(parent: Path) -> None:
    """Removes groups of a Heal that was killed: the kernel refuses it where a process is in one."""
    for left in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_ctime > LEFT_OVER_SECONDS:
                left.rmdir()


def _tree(pid: int) -> list[int]:
    """The process and everything below it. Raises FileNotFoundError on a kernel that doesn't list children."""
    found = [pid]
    for one in found:
        try:
            found.extend(map(int, Path(f"/proc/{one}/task/{one}/children").read_text().split()))
        except ProcessLookupError:
            continue
        except FileNotFoundError:
            if Path(f"/proc/{one}").exists():
                raise
    return found


def _write(file: Path, value: int) -> None:
    fd = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, str(value).encode())
    finally:
        os.close(fd)
