"""Finds out which back end works on this machine, by running a command and three attempts to escape."""

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from healing.files.overlay import KERNEL
from healing.process.owner import Owner, hand_over, sandbox_owner
from healing.sandbox import seccomp
from healing.sandbox.bubblewrap import Bubblewrap, find_bwrap
from healing.sandbox.cgroups import Cgroups, find_cgroups
from healing.sandbox.interpreter import Interpreter, NoInterpreterError, find_interpreter
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.landlock import OLDEST_ABI, Landlock, kept, landlock_abi
from healing.sandbox.layers import Layers
from healing.sandbox.none import Unsafe
from healing.sandbox.temporary import sweep, unfinished
from healing.sandbox.view import View

Choice = Literal["auto", "bubblewrap", "landlock", "unsafe"]
CANARY = "heal-canary-that-nobody-may-read"
ESCAPES = """
import json, socket, sys
secret, outside, port = sys.argv[1:]
said = {}
def attempt(name, act):
    try:
        said[name] = bool(act())
    except OSError:
        said[name] = False
def read():
    return open(secret).read()
def write():
    return open(outside + "/written", "w").write("x")
def connect():
    with socket.create_connection(("127.0.0.1", int(port)), 3):
        return True
attempt("read a file outside", read)
attempt("wrote a file outside", write)
attempt("reached a port of this machine", connect)
open("inside", "w").write("x")
print(json.dumps(said))
"""


# Tests whether overlays work here: one is mounted, changed from inside, and read back from outside.
TRIAL = (
    "sh",
    "-c",
    "rm gone && echo more >> kept && rm -r folder && mkdir folder && echo new > folder/new && cat kept",
)


class UnusableError(Exception):
    """A back end can't be used here; the message says why."""


def trial_layers(place: Path, owner: Owner | None) -> Layers:
    """Layers with some content for TRIAL to change."""
    layers = Layers(place / "lower", place / "work", place / "joined")
    for folder in (layers.lower, layers.work, layers.joined, layers.lower / "folder"):
        folder.mkdir()
        hand_over(folder, owner)
    for file in ("gone", "kept", "folder/old"):
        (layers.lower / file).write_text(file)
        hand_over(layers.lower / file, owner)
    return layers


def check_marks(upper: Path, layers: Layers) -> None:
    """Raise UnusableError where `upper` doesn't show the changes of TRIAL, or the lower folder was changed."""
    folder = os.open(upper / "folder", os.O_RDONLY | os.O_NOFOLLOW)
    try:
        opaque = KERNEL.is_opaque(folder)
    finally:
        os.close(folder)
    works = opaque and KERNEL.is_whiteout((upper / "gone").lstat()) and (upper / "kept").read_text() == "keptmore\n"
    if not works or (layers.lower / "kept").read_text() != "kept" or not (layers.lower / "folder" / "old").exists():
        raise UnusableError("an overlay does not tell what was changed in it")


@dataclass(frozen=True)
class ProbedBackend:
    """One back end that was probed; `why` says what is missing when it is not `ok`."""

    name: str
    ok: bool
    why: str = ""


@dataclass(frozen=True)
class Probe:
    """The sandbox to use; None when there is none, and then nothing from a repository runs here."""

    sandbox: Sandbox | None
    tried: tuple[ProbedBackend, ...]


async def probe(data: Path, choose: Choice = "auto", person: bool = False) -> Probe:
    """Try bubblewrap, then Landlock. A named back end is tried alone, and `unsafe` is used only when named. `data` is
    Heal's data folder; the probe leaves nothing in it. `person`: commands run as the user who runs Heal, in that
    person's own environment, even if that is root. Raises ValueError for a bad HEAL_SANDBOX_UID."""
    owner = None if person else sandbox_owner()
    if choose == "unsafe":
        return Probe(Unsafe(owner), (ProbedBackend("none (unsafe)", True, "chosen by name: nothing is kept apart"),))
    data.mkdir(parents=True, exist_ok=True)
    await asyncio.to_thread(sweep, owner)
    try:
        interpreter = await find_interpreter(data, owner)
    except NoInterpreterError as error:
        return Probe(None, (ProbedBackend("any", False, str(error)),))
    groups = await asyncio.to_thread(find_cgroups)
    tried: list[ProbedBackend] = []
    for name in ("bubblewrap", "landlock") if choose == "auto" else (choose,):
        try:
            sandbox = await _make(name, data, owner, interpreter, groups)
            if person and isinstance(sandbox, Bubblewrap):
                sandbox = of_person(sandbox)
            await escape_checks(sandbox, data, interpreter)
        except (UnusableError, OSError, NotImplementedError) as error:
            tried.append(ProbedBackend(name, False, str(error)))
        else:
            return Probe(await _with_layers(sandbox, data, interpreter), (*tried, ProbedBackend(name, True)))
    return Probe(None, tuple(tried))


async def _make(
    name: str, data: Path, owner: Owner | None, interpreter: Interpreter, groups: Cgroups | None
) -> Sandbox:
    seccomp.program(namespaces=True)  # raises NotImplementedError on an unsupported machine
    if name == "bubblewrap":
        mount = mount_point(data, interpreter)
        return Bubblewrap(await find_bwrap(), owner, mount, interpreter=interpreter, groups=groups)
    abi = landlock_abi()
    if abi < OLDEST_ABI:
        raise UnusableError(f"the kernel speaks Landlock {abi}, {OLDEST_ABI} (Linux 6.7) is needed")
    return Landlock(interpreter, owner, kept(abi), groups=groups)


def of_person(sandbox: Bubblewrap) -> Bubblewrap:
    """The sandbox for commands that run as the user who runs Heal. The view of that person's environment is set once a
    clone is known."""
    nowhere = Path("/nonexistent")
    return replace(sandbox, view=View(nowhere, nowhere))


def mount_point(data: Path, interpreter: Interpreter) -> str:
    """`/work`, unless a folder that checks have to read lies there on this machine; then `/worktree`."""
    shown = (data, *interpreter.readable, interpreter.path)
    return "/worktree" if any(path.resolve().is_relative_to("/work") for path in shown) else "/work"


async def _with_layers(sandbox: Sandbox, data: Path, interpreter: Interpreter) -> Sandbox:
    """The sandbox, `layered` where it also withstands the escape checks with an overlay, whose changes can be read
    back."""
    if isinstance(sandbox, Bubblewrap):
        with contextlib.suppress(UnusableError, OSError):
            layered = replace(sandbox, layered=True)
            await escape_checks(layered, data, interpreter)
            return layered
    return sandbox


async def escape_checks(sandbox: Sandbox, data: Path, interpreter: Interpreter) -> None:
    """Run `true`, then the three escape attempts; with layers, change an overlay in place of `true` and verify its
    marks. Raises UnusableError, which says what went wrong."""
    with unfinished(data) as place:
        place.chmod(0o755)
        root, outside, secret = place / "worktree", place / "outside", place / "secret"
        root.mkdir()
        hand_over(root, sandbox.owner)
        outside.mkdir()
        outside.chmod(0o777)  # the sandbox is tested, not the file modes
        secret.write_text(CANARY)
        secret.chmod(0o644)
        layers = await asyncio.to_thread(trial_layers, place, sandbox.owner) if sandbox.layered else None
        await _check_runs(sandbox, Job(TRIAL if layers else ("true",), root, limits=Limits(seconds=60), layers=layers))
        if layers:
            check_marks(root, layers)
        async with listener() as port:
            job = Job(
                argv=(str(interpreter.path), "-I", "-S", "-c", ESCAPES, str(secret), str(outside), str(port)),
                root=root,
                env=interpreter.env,
                readable=interpreter.readable,
                limits=Limits(seconds=60),
                layers=layers,
            )
            await _check_contained(sandbox, job)


async def _check_runs(sandbox: Sandbox, job: Job) -> None:
    ended = await sandbox.run(job)
    if ended.exit_code != 0:
        output = ended.output.decode(errors="replace").strip()
        raise UnusableError(": ".join(part for part in (ended.why or f"`{job.argv[0]}` failed", output[-300:]) if part))


async def _check_contained(sandbox: Sandbox, job: Job) -> None:
    ended = await sandbox.run(job)
    try:
        output = json.loads(ended.output)
    except ValueError:
        tail = ended.output.decode(errors="replace").strip()[-300:]
        raise UnusableError(f"the escape checks did not run: {ended.why} {tail}") from None
    escaped = [attempt for attempt, success in output.items() if success]
    if escaped or not os.path.exists(job.root / "inside"):
        raise UnusableError("a command inside " + (" and ".join(escaped) or "could not write its own worktree"))


@asynccontextmanager
async def listener() -> AsyncIterator[int]:
    """A loopback port that accepts any connection."""

    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()
