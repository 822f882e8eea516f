"""The back end for machines without namespaces, such as containers: Landlock, seccomp and limits, applied by
`confine.py`."""

import contextlib
import ctypes
import functools
import marshal
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from healing.process.owner import Owner
from healing.process.shell import Completed, run
from healing.sandbox import promises, seccomp
from healing.sandbox.beside import link_into_home, linked, with_import_paths
from healing.sandbox.bounds import enforce_limits
from healing.sandbox.cgroups import Cgroups
from healing.sandbox.environment import inside_environment, inside_folder, not_run
from healing.sandbox.exposure import SYSTEM, around, hidden, holes_in, system_files
from healing.sandbox.interpreter import Interpreter
from healing.sandbox.job import NO_CORE, Job
from healing.sandbox.reporting import ReportChannel, report_channel
from healing.sandbox.temporary import private_folder
from healing.sandbox.view import View

OLDEST_ABI = 4
SCOPES_ABI = 6  # from this version on, signals and abstract sockets can be confined
START = "import marshal, sys; exec(marshal.load(sys.stdin.buffer))"
GRACE_SECONDS = 12.0  # for the sweep after a limit
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
# Landlock protects the contents of files, not their modes; a folder on a disk has no size limit of its own; and no
# network can be made that leads to a single place.
NEVER = frozenset({promises.NO_MODE_CHANGE_OUTSIDE, promises.TMP_BOUNDED, promises.SETUP_NETWORK})
NEEDS_SCOPES = frozenset({promises.NO_PROCESS_TOUCHED, promises.TREE_DIES, promises.DIES_WITH_HEAL})


def landlock_abi() -> int:
    """The Landlock version of the kernel; 0 when it has none or it is disabled."""
    libc = ctypes.CDLL(None, use_errno=True)
    answer = libc.syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(0, int(answer))


def kept(abi: int) -> frozenset[str]:
    """The promises that this version of Landlock keeps."""
    return promises.EVERY - NEVER - (frozenset() if abi >= SCOPES_ABI else NEEDS_SCOPES)


@dataclass(frozen=True)
class Landlock:
    """`interpreter` runs the confining program as the sandboxed user; `promises` depend on the kernel's version. `view`
    is the environment of the person whose machine this is; it appears as far as possible without mounts (beside.py)."""

    interpreter: Interpreter
    owner: Owner | None
    promises: frozenset[str]
    name: str = "landlock"
    layered: bool = False
    own_loopback: bool = False
    groups: Cgroups | None = None
    view: View | None = None

    def inside(self, root: Path) -> str:
        return str(root.resolve())

    async def run(self, job: Job) -> Completed:
        try:
            folder = inside_folder(job, self.owner, self.layered, self.own_loopback)
        except ValueError as error:
            return not_run(job, str(error))
        try:
            if self.view is None:
                return await self._run(job, folder)
            with linked(self.view, job.root) as installed:
                readable = (*job.readable, *self.view.readable, *installed)
                return await self._run(replace(with_import_paths(self.view, job), readable=readable), folder)
        except OSError as error:
            return not_run(job, f"landlock could not be started: {error}")

    async def _run(self, job: Job, folder: str) -> Completed:
        async with contextlib.AsyncExitStack() as stack:
            private = contextlib.nullcontext(job.home) if job.home else private_folder(self.owner)
            temporary = (await stack.enter_async_context(private)).resolve()
            if self.view is not None and job.home is None:
                link_into_home(self.view, temporary)
            status, writer = os.pipe()
            stack.callback(os.close, status)
            stack.callback(os.close, writer)
            report = stack.enter_context(report_channel(job.reports))
            bounds = await stack.enter_async_context(
                enforce_limits(job, self.groups, own_network=False, temporary=temporary)
            )
            ended = await run(
                self._argv(job),
                cwd=Path("/"),
                env=self.interpreter.env,  # the job's could make the confining program itself run untrusted code
                stdin=self._instructions(job, folder, temporary, writer, report, bounds.gates),
                timeout=job.limits.seconds,
                output_bytes=job.limits.output_bytes,
                user=self.owner,
                pass_fds=(writer, *report.descriptors, *bounds.gates),
                watch=bounds.watch,
                grace=GRACE_SECONDS,
            )
            status_words = _status(status)
            ended = replace(bounds.judged(ended), argv=job.argv, report=report.report())
        if not ended.why and ("error" in status_words or "exit" not in status_words):
            return not_run(
                job,
                f"landlock could not start the command: {status_words.get('error', 'see its output')}",
                ended.output,
            )
        return ended

    def _argv(self, job: Job) -> list[str]:
        return [str(self.interpreter.path), "-I", "-S", "-c", START, *job.argv]

    def _instructions(
        self, job: Job, folder: str, temporary: Path, writer: int, report: ReportChannel, gates: tuple[int, ...]
    ) -> bytes:
        limits = job.limits
        bounds = {"NPROC": limits.processes, "FSIZE": limits.file_bytes}
        orders = {
            "status": writer,
            "gates": gates,
            "parent": os.getpid(),
            "cwd": os.path.normpath(os.path.join(self.inside(job.root), folder)),
            "env": inside_environment(job, str(temporary), report, own_shell=self.view is not None),
            "rules": list(_rules(job, temporary, self.view.hidden if self.view else hidden())),
            "limits": {"CORE": NO_CORE, "NOFILE": 1024, **bounds},
            "seccomp": seccomp.program(namespaces=False),
        }
        return _program() + marshal.dumps(orders)


@functools.cache
def _program() -> bytes:
    """`confine.py` compiled, which is valid for every interpreter of this version."""
    source = Path(__file__).with_name("confine.py")
    return marshal.dumps(compile(source.read_text(), source.name, "exec"))


def _rules(job: Job, temporary: Path, covers: tuple[Path, ...]) -> Iterator[tuple[str, str]]:
    """Yield what may be accessed, and how. A folder that contains one of `covers`, Heal's packages or a person's
    logins, is granted piece by piece around it."""
    for path in (*SYSTEM, *(readable.resolve() for readable in job.readable)):
        if path.is_symlink() or not path.exists():
            continue
        if holes_in(path, covers):
            yield "list", str(path)
        for piece in around(path, covers):
            yield "read", str(piece)
    for path in system_files():
        yield "read", str(path)
    for device in DEVICES:
        yield "device", device
    if job.report_pipe:
        yield "write", str(job.report_pipe)
    yield "all", str(job.root.resolve())
    yield "all", str(temporary)


def _status(fd: int) -> dict[str, str]:
    """What the confining program reported: `error` when the restrictions could not be applied, `exit` when the command
    ended."""
    os.set_blocking(fd, False)
    words: dict[str, str] = {}
    with contextlib.suppress(BlockingIOError):
        for line in os.read(fd, 1 << 16).decode(errors="replace").splitlines():
            kind, _, rest = line.partition(" ")
            words[kind] = rest
    return words
