"""The one subprocess door of the engine."""

import asyncio
import contextlib
import errno
import os
import shutil
import signal
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from healing.process.owner import Owner

PROC = Path("/proc")
SETPRIV = "/usr/bin/setpriv"  # of util-linux
LINGER_SECONDS = 1.0  # how long the output of a dead command may still trickle in before its pipe is closed


@dataclass(frozen=True)
class Completed:
    """A command that ended. `exit_code` is None when it was killed at a limit (`why` says which); `output` is stdout
    and stderr as they came, cut in the middle when over the limit (`truncated`); `report` is what a sandboxed job
    wrote to its report descriptor (`healing.sandbox.reporting`)."""

    argv: tuple[str, ...]
    exit_code: int | None
    output: bytes
    seconds: float
    truncated: bool = False
    why: str = ""
    report: bytes = b""


class Output(asyncio.Protocol):
    """What came out of a command, at most `limit` bytes of it: the first half and the last half."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.head = bytearray()
        self.tail = bytearray()
        self.cut = 0
        self.ended = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        room = max(0, self.limit // 2 - len(self.head))
        self.head += data[:room]
        self.tail += data[room:]
        over = len(self.tail) - (self.limit - self.limit // 2)
        if over > 0:
            del self.tail[:over]
            self.cut += over

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    def text(self) -> bytes:
        """All that was kept; a line in the middle says how much was not."""
        middle = f"\n[... {self.cut} bytes cut here ...]\n".encode() if self.cut else b""
        return bytes(self.head) + middle + bytes(self.tail)


async def run(  # noqa: PLR0913 - all that a command is
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float,
    output_bytes: int = 8 << 20,
    stdin: bytes = b"",
    user: Owner | None = None,
    pass_fds: Sequence[int] = (),
    watch: Callable[[int], Coroutine[Any, Any, str]] | None = None,
    grace: float = 0.0,
) -> Completed:
    """Runs `argv` in a session of its own with exactly `env`, and returns when its process group is dead.

    At `timeout` seconds, on cancellation, or when `watch(pid)` returns (its text becomes `why`) the leader gets
    SIGTERM, after `grace` seconds the group gets SIGKILL. A command that died of signal n has the exit code 128 + n.
    Must be called on the event loop that lives on: a sandbox that dies with its parent dies with the spawning thread.
    Raises OSError when the command can't be started at all.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    output = Output(output_bytes)
    spawned = asyncio.ensure_future(_spawn(argv, output, cwd=cwd, env=env, stdin=stdin, user=user, pass_fds=pass_fds))
    try:
        process, pipe = await asyncio.shield(spawned)
        why = await _first_end(process, timeout, watch)
    except asyncio.CancelledError:
        process, pipe = await spawned  # the cancellation may have come while it was being started
        await asyncio.shield(_end(process, pipe, output, grace))
        raise
    await asyncio.shield(_end(process, pipe, output, grace))
    code = process.returncode
    exit_code = None if why or code is None else code if code >= 0 else 128 - code
    return Completed(tuple(argv), exit_code, output.text(), loop.time() - began, output.cut > 0, why)


async def _spawn(
    argv: Sequence[str],
    output: Output,
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes,
    user: Owner | None,
    pass_fds: Sequence[int],
) -> tuple[asyncio.subprocess.Process, asyncio.ReadTransport]:
    """Starts the command with both its outputs on one pipe of ours: a pipe that asyncio made for the process could
    not be closed while a grandchild holds it."""
    reader, writer = os.pipe()
    words, variables, who = _as(user, argv, env)
    with tempfile.TemporaryFile() as given, os.fdopen(writer, "wb", 0) as sink, contextlib.ExitStack() as stack:
        source = stack.enter_context(os.fdopen(reader, "rb", 0))
        given.write(stdin)
        given.seek(0)
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=cwd,
            env=variables,
            stdin=given if stdin else asyncio.subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
            **who,
        )
        stack.pop_all()
    pipe, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: output, source)
    return process, pipe


def _as(
    user: Owner | None, argv: Sequence[str], env: Mapping[str, str]
) -> tuple[Sequence[str], dict[str, str], dict[str, Any]]:
    """The words, variables and options to start a command with as `user`. Python itself would copy the whole process
    to change the user (fork): some 30 ms for each 100 MB. `setpriv` is started without a copy (vfork). It gets none of
    the command's variables and starts `env` alone, since it has our rights until then. Raises FileNotFoundError where
    there is no such command."""
    if user is None:
        return argv, dict(env), {}
    if os.geteuid() != 0 or not os.access(SETPRIV, os.X_OK):
        return argv, dict(env), {"user": user.uid, "group": user.gid, "extra_groups": []}
    if shutil.which(argv[0], path=env.get("PATH", os.defpath)) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argv[0])
    to = (SETPRIV, f"--reuid={user.uid}", f"--regid={user.gid}", "--clear-groups", "--")
    given = (f"{name}={value}" for name, value in env.items())
    return (*to, "/usr/bin/env", "-i", "--", *given, *argv), {}, {}


async def _first_end(
    process: asyncio.subprocess.Process, timeout: float, watch: Callable[[int], Coroutine[Any, Any, str]] | None
) -> str:
    """Waits for whatever comes first; empty when the command ended by itself, else why it has to be ended."""
    ended = asyncio.create_task(process.wait())
    watching = {asyncio.create_task(watch(process.pid))} if watch else set()
    try:
        done, _ = await asyncio.wait({ended, *watching}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if ended in done:
            return ""
        return next((task.result() for task in watching if task in done), f"time limit {timeout:g} s")
    finally:
        await _drop(ended, *watching)


async def _drop(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _end(process: asyncio.subprocess.Process, pipe: asyncio.ReadTransport, output: Output, grace: float) -> None:
    """Ends what is left of the group, reaps the leader and closes the pipe, whoever still holds its other end."""
    if grace and process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        await _within(grace, process.wait())
    _kill_group(process.pid)
    await process.wait()
    await _within(LINGER_SECONDS, _group_gone(process.pid))
    await _within(LINGER_SECONDS, asyncio.shield(output.ended))
    pipe.close()


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


async def _group_gone(group: int) -> None:
    """Orphans of the group die in their own time, and may fork until they do."""
    while _living(group):
        _kill_group(group)
        await asyncio.sleep(0.005)


def _living(group: int) -> bool:
    """Whether a process of the group still runs. One that is dead but not yet reaped by its new parent does not; where
    there is no /proc to tell them apart nothing is waited for."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, 0)
        for stat in PROC.glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                state, _, its_group = stat.read_bytes().rpartition(b")")[2].split()[:3]
                if int(its_group) == group and state not in (b"Z", b"X"):
                    return True
    return False


async def _within(seconds: float, awaited: Awaitable[Any]) -> None:
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(awaited, seconds)
