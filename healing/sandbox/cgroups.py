"""Control groups: the kernel's own limit on all memory of a job, including socket buffers, files in memory and page
tables.

Supports both versions of the kernel's interface: version 2, and the memory controller of version 1 where the machine
has that one. Where Heal may not create groups, the watchdog (`watchdog.py`) counts instead.
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
LEFT_OVER_SECONDS = 60.0  # older groups without a process belong to a killed Heal
SPARE_PROCESSES = 16  # allowance for the programs that start the job
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
        """Move the process and its descendants into the group. None of them may run untrusted code yet. They may start
        more processes meanwhile, so the search repeats until it finds no new one. Raises OSError."""
        members = self.path / "cgroup.procs"
        admitted: set[int] = set()
        while fresh := [member for member in _tree(pid) if member not in admitted]:
            for member in fresh:
                with contextlib.suppress(ProcessLookupError):
                    _write(members, member)
                admitted.add(member)

    def killed(self) -> bool:
        """Whether the kernel killed a process of the group because its memory was used up."""
        file = self.path / ("memory.events" if self.version == 2 else "memory.oom_control")
        with contextlib.suppress(OSError, ValueError):
            counts = dict(line.split() for line in file.read_text().splitlines())
            return int(counts.get("oom_kill", 0)) > 0
        return False

    def removed(self) -> bool:
        """Remove the group unless a process is in it. Returns whether it is gone."""
        try:
            self.path.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def remove(self) -> None:
        """Kill whatever is still in the group and remove it; gives up after GONE_SECONDS."""
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
    """A folder in which Heal may create groups for jobs, and the group that Heal itself is in."""

    parent: Path
    own: Path
    version: int

    def warm(self) -> None:
        """Move Heal into the group that it is already in. The first move in a while blocks for some ten milliseconds
        until no processor forks; later ones don't. This one can block while the job is being started."""
        with contextlib.suppress(OSError):
            _write(self.own / "cgroup.procs", os.getpid())

    def make(self, memory_bytes: int, processes: int) -> Cgroup:
        """Create a group with these limits. Raises OSError."""
        group = Cgroup(self.parent / f"{PREFIX}{secrets.token_hex(8)}", self.version)
        group.path.mkdir()
        try:
            for file, value, needed in _limits(self.version, memory_bytes, processes):
                if needed or (group.path / file).exists():
                    _write(group.path / file, value)
        except OSError:
            group.remove()
            raise
        return group


def find_cgroups() -> Cgroups | None:
    """The place where groups can be created, verified by creating one and moving a process into it; None where there is
    none."""
    for version, parents in _candidates():
        for place, parent in enumerate(parents):
            groups = Cgroups(parent, parents[0], version)
            _sweep(parent)
            with contextlib.suppress(OSError):
                if version == 2 and place < 2:  # only Heal's own group and its parent; Heal must not change others
                    _enable(parent)
                _try_out(groups)
                return groups
    return None


def _limits(version: int, memory_bytes: int, processes: int) -> tuple[tuple[str, int, bool], ...]:
    """(file, value, whether the group can't be used without it)"""
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
        ("memory.kmem.tcp.limit_in_bytes", memory_bytes, False),  # TCP buffers: counted separately, if requested
    )


def available_memory() -> int:
    """Bytes of memory that this process can have at most: the machine's, or less where an enclosing group, such as a
    container's, has a limit."""
    bounds = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for version, groups in _candidates():
        for group in groups:
            with contextlib.suppress(OSError, ValueError):  # "max", or a group above the mount
                bounds.append(int((group / LIMIT_FILES[version]).read_text()))
    return min(bounds)


def _candidates() -> Iterator[tuple[int, list[Path]]]:
    """For each mounted version: Heal's own group, then its ancestors up to the mount point."""
    lines = [line.split(":", 2) for line in OWN.read_text().splitlines()] if OWN.exists() else []
    own = {2 if controllers == "" else 1: path for _, controllers, path in lines if _controls_memory(controllers)}
    for version, root, point in sorted(_mounted(), reverse=True):
        path = own.get(version)
        if path is not None and Path(path).is_relative_to(root):
            inside = Path(path).relative_to(root)
            yield version, [point / relative for relative in (inside, *inside.parents)]


def _controls_memory(controllers: str) -> bool:
    return controllers == "" or "memory" in controllers.split(",")


def _mounted() -> Iterator[tuple[int, str, Path]]:
    """Yield (version, the group at the mount's root, mount point)."""
    for line in MOUNTS.read_text().splitlines() if MOUNTS.exists() else ():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        root, point = before.split()[3:5]
        if kind == "cgroup2":
            yield 2, root, Path(point)
        elif kind == "cgroup" and "memory" in options.split(","):
            yield 1, root, Path(point)


def _enable(parent: Path) -> None:
    """Enable limits for groups below, as far as the kernel accepts it: not where processes are in `parent` itself."""
    for controller in ("memory", "pids"):
        with contextlib.suppress(OSError):
            if controller not in (parent / "cgroup.subtree_control").read_text().split():
                (parent / "cgroup.subtree_control").write_text(f"+{controller}")


def _try_out(groups: Cgroups) -> None:
    """Raise OSError where a process can't be put under a limit."""
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
    """Remove groups of a Heal process that was killed. The kernel refuses to remove one that has processes."""
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_ctime > LEFT_OVER_SECONDS:
                folder.rmdir()


def _tree(pid: int) -> list[int]:
    """The process and all of its descendants. Raises FileNotFoundError on a kernel that doesn't list children."""
    pids = [pid]
    for member in pids:
        try:
            pids.extend(map(int, Path(f"/proc/{member}/task/{member}/children").read_text().split()))
        except ProcessLookupError:
            continue
        except FileNotFoundError:
            if Path(f"/proc/{member}").exists():
                raise
    return pids


def _write(file: Path, value: int) -> None:
    fd = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, str(value).encode())
    finally:
        os.close(fd)
