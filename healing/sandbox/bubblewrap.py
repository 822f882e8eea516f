"""The best back end: namespaces of its own, by the `bwrap` program."""

import asyncio
import contextlib
import json
import os
import posixpath
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from healing.sandbox import authority, seccomp
from healing.sandbox.bounds import Bounds, bounded
from healing.sandbox.cgroups import Cgroups
from healing.sandbox.environment import inside_environment, inside_folder, not_run
from healing.sandbox.exposure import SYSTEM, SYSTEM_FILES, hidden, holes_in
from healing.sandbox.interpreter import Interpreter
from healing.sandbox.job import NO_CORE, Job
from healing.sandbox.layers import mounting
from healing.sandbox.network import INSIDE_PORT, network_environment
from healing.sandbox.owner import Owner
from healing.sandbox.promises import EVERY
from healing.sandbox.proxy import WayOut, way_out
from healing.sandbox.reporting import ReportChannel, report_channel
from healing.sandbox.temporary import memory_file
from healing.sandbox.watchdog import PROC
from healing.shell import Completed, run

DOOR = "/run/heal-proxy"  # where Heal's proxy is seen by a set-up step that has a network
SYSTEM_INTERPRETER = Interpreter(Path("/usr/bin/python3"))
OLDEST = (0, 8)  # --disable-userns
TMP_BYTES = 256 << 20
SHARED_MEMORY_BYTES = 64 << 20
GONE_SECONDS = 5.0
ETC = {
    "/etc/passwd": b"heal:x:1000:1000:heal:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    "/etc/group": b"heal:x:1000:\nnogroup:x:65534:\n",
    "/etc/hosts": b"127.0.0.1 localhost ci\n::1 localhost\n",
    "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
}
HOST = re.compile(r"[A-Za-z0-9_.-]{1,200}\Z")
NAMESPACES = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup-try"),
    *("--hostname", "ci", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL", "--disable-userns"),
    *("--die-with-parent", "--new-session", "--clearenv"),
)
MOUNTS = (
    *("--proc", "/proc", "--dev", "/dev", "--size", str(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm"),  # noqa: S108 - inside
    *("--size", str(TMP_BYTES), "--perms", "1777", "--tmpfs", "/tmp", "--dir", "/run", "--dir", "/var"),  # noqa: S108 - inside
)


async def bwrap_version(command: str) -> tuple[int, ...]:
    """The version as numbers; empty when the program doesn't tell."""
    asked = await run([command, "--version"], cwd=Path("/"), env={}, timeout=10)
    found = re.search(rb"(\d+)\.(\d+)", asked.output)
    return tuple(int(part) for part in found.groups()) if found else ()


async def find_bwrap() -> str:
    """The path of a bwrap that is new enough. Raises FileNotFoundError with what is missing."""
    command = shutil.which("bwrap")
    if command is None:
        raise FileNotFoundError("bwrap is not installed")
    version = await bwrap_version(command)
    if version < OLDEST:
        raise FileNotFoundError(f"bwrap {'.'.join(map(str, version))} is too old, 0.8 is needed")
    return command


@dataclass(frozen=True)
class Bubblewrap:
    """`command` is the bwrap program; the worktree appears under `mount`, which must not hold a readable folder.
    `layered` where an overlay could be mounted on trial."""

    command: str
    owner: Owner | None
    mount: str = "/work"
    name: str = "bubblewrap"
    layered: bool = False
    own_loopback: bool = True
    promises: frozenset[str] = EVERY
    interpreter: Interpreter = SYSTEM_INTERPRETER
    groups: Cgroups | None = None

    def inside(self, root: Path) -> str:
        return self.mount

    async def run(self, job: Job) -> Completed:
        try:
            folder = inside_folder(job, self.owner, self.layered, self.own_loopback)
            mount = mounting(*job.overlays())
        except ValueError as error:
            return not_run(job, str(error))
        for path in job.readable:
            if path.resolve().is_relative_to(self.mount):
                return not_run(
                    job, f"{path} is hidden by the worktree, which appears as {self.mount}: move it elsewhere"
                )
        try:
            async with bounded(job, self.groups, own_network=True) as bounds:
                if job.network is None:
                    return await self._run(job, folder, mount, bounds)
                async with way_out(job.network, self.owner) as out:
                    return await self._run(self._with_network(job, out), folder, mount, bounds, out)
        except OSError as error:
            return not_run(job, f"bubblewrap could not be started: {error}")

    def _with_network(self, job: Job, out: WayOut) -> Job:
        """The job as it has to be for `forwarder.py` to run before its command, and for its tools to find the proxy."""
        readable = (*job.readable, *self.interpreter.readable)
        return replace(job, readable=readable, env={**job.env, **network_environment(bool(out.authorities))})

    async def _run(
        self, job: Job, folder: str, mount: tuple[str, ...], bounds: Bounds, out: WayOut | None = None
    ) -> Completed:
        with contextlib.ExitStack() as stack:
            status, said = os.pipe()
            stack.callback(os.close, status)
            report = stack.enter_context(report_channel(job.reports))
            files = {**_etc(job), **({authority.INSIDE: out.authorities} if out and out.authorities else {})}
            given = [stack.enter_context(memory_file(content)) for content in files.values()]
            rules = stack.enter_context(memory_file(seccomp.program(namespaces=True)))
            binds = [word for fd, path in zip(given, files, strict=True) for word in ("--ro-bind-data", str(fd), path)]
            argv = [
                *(*mount, self.command, *NAMESPACES, *self._mounts(job), *binds, "--seccomp", str(rules)),
                *(("--ro-bind", str(out.door), DOOR) if out else ()),
                *(word for gate in bounds.gates for word in ("--block-fd", str(gate))),
                *("--json-status-fd", str(said), "--remount-ro", "/dev", "--remount-ro", "/"),
                *(
                    "--chdir",
                    posixpath.normpath(f"{self.mount}/{folder}"),
                    "--",
                    *_limits(job),
                    *(self._forwarding() if out else ()),
                    *_environment(job, report),
                    *job.argv,
                ),
            ]
            try:
                ended = await run(
                    argv,
                    cwd=Path("/"),
                    env={},
                    timeout=job.limits.seconds,
                    output_bytes=job.limits.output_bytes,
                    user=self.owner,
                    pass_fds=(*given, rules, said, *report.descriptors, *bounds.gates),
                    watch=bounds.watch,
                )
            finally:
                os.close(said)
                words = _status(status)
                await _until_gone(words.get("child-pid", 0))
            ended = replace(bounds.judged(ended), argv=job.argv, report=report.report())
        if not ended.why and "exit-code" not in words:
            return not_run(job, "bubblewrap could not start the command", ended.output)
        return ended

    def _mounts(self, job: Job) -> Iterator[str]:
        """The view of the machine: the system and what the job names read-only, Heal's own packages covered up, the
        worktree as the one writable folder."""
        readable = sorted({path.resolve() for path in job.readable})
        for path in SYSTEM:
            if path.is_symlink():
                yield from ("--symlink", os.readlink(path), str(path))
            elif path.is_dir():
                yield from ("--ro-bind", str(path), str(path))
        for path in SYSTEM_FILES:
            yield from ("--ro-bind-try", str(path), str(path))
        yield from MOUNTS
        if job.home:
            home = job.home_layers.joined if job.home_layers else job.home
            yield from ("--bind", str(home.resolve()), "/tmp")  # noqa: S108 - inside
        covers = hidden()
        for path in (*SYSTEM, *readable):
            if path in readable:
                yield from ("--ro-bind", str(path), str(path))
            for hole in holes_in(path, covers) if not path.is_symlink() else ():
                yield from ("--tmpfs", str(hole), "--remount-ro", str(hole))
        shown = job.layers.joined if job.layers else job.root
        yield from ("--bind", str(shown.resolve()), self.mount)

    def _forwarding(self) -> tuple[str, ...]:
        source = Path(__file__).with_name("forwarder.py").read_text()
        variables = (f"{name}={value}" for name, value in self.interpreter.env.items())
        python = (str(self.interpreter.path), "-I", "-S", "-c", source, DOOR, str(INSIDE_PORT))
        return ("/usr/bin/env", "-i", "--", *variables, *python)


def _etc(job: Job) -> dict[str, bytes]:
    """The files of /etc; the hosts that the job names among them."""
    hosts = "".join(f"{address} {name}\n" for name, address in job.hosts if HOST.match(name))
    return {**ETC, "/etc/hosts": ETC["/etc/hosts"] + hosts.encode()}


def _environment(job: Job, report: ReportChannel) -> tuple[str, ...]:
    """The job's variables come after the limits: with `LD_PRELOAD` among them, prlimit itself would run the
    repository's code before any limit holds."""
    given = inside_environment(job, "/tmp", report)  # noqa: S108 - inside
    return ("/usr/bin/env", "-i", "--", *(f"{name}={value}" for name, value in given.items()))


def _limits(job: Job) -> tuple[str, ...]:
    """prlimit starts inside, where RLIMIT_NPROC counts this sandbox alone."""
    limits = job.limits
    bounds = (f"--nproc={limits.processes}", f"--fsize={limits.file_bytes}", f"--data={limits.memory_bytes}")
    return ("/usr/bin/prlimit", f"--core={NO_CORE}", "--nofile=1024", *bounds)


def _status(fd: int) -> dict[str, int]:
    """What bwrap told about itself, one JSON object a line: `child-pid` when it is set up, `exit-code` at the end."""
    os.set_blocking(fd, False)
    words: dict[str, int] = {}
    with contextlib.suppress(BlockingIOError):
        for line in os.read(fd, 1 << 16).splitlines():
            with contextlib.suppress(ValueError):
                words.update(json.loads(line))
    return words


async def _until_gone(pid: int) -> None:
    """Waits until the sandbox's first process is dead: the kernel ends everything in its namespace with it."""
    for _ in range(int(GONE_SECONDS / 0.01) if pid else 0):
        try:
            stat = (PROC / str(pid) / "stat").read_bytes()
        except OSError:
            return
        if stat.rpartition(b")")[2].split()[0] in (b"Z", b"X"):
            return
        await asyncio.sleep(0.01)
