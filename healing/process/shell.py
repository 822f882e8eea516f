"""The one place where the engine starts subprocesses."""

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
LINGER_SECONDS = 1.0  # how long to wait for remaining output of a dead command before its pipe is closed


@dataclass(frozen=True)
class Completed:
    """A command that ended. `exit_code` is None when it was killed at a limit, which `why` names; `output` is stdout
    and stderr interleaved as they arrived, cut in the middle when over the limit (`truncated`); `report` is what a
    sandboxed job wrote to its report descriptor (`healing.sandbox.reporting`)."""

    argv: tuple[str, ...]
    exit_code: int | None
    output: bytes
    seconds: float
    truncated: bool = False
    why: str = ""
    report: bytes = b""


class Output(asyncio.Protocol):
    """Collects a command's output, at most `limit` bytes of it: the first half and the last half."""

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
        """All that was kept; a line in the middle states how many bytes were cut."""
        middle = f"\n[... {self.cut} bytes cut here ...]\n".encode() if self.cut else b""
        return bytes(self.head) + middle + bytes(self.tail)


async def run(  # noqa: PLR0913 - everything that defines a command
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
    """Run `argv` in a session of its own with exactly `env`, and return when its process group is dead.

    At `timeout` seconds, on cancellation, or when `watch(pid)` returns (its text becomes `why`), the leader gets
    SIGTERM, and after `grace` seconds the group gets SIGKILL; without `grace` there is no SIGTERM. A command that died
    of signal n has the exit code 128 + n. Must be called on a long-lived event loop: a sandbox that dies with its
    parent dies with the thread that spawned it. Raises OSError when the command can't be started at all.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    output = Output(output_bytes)
    spawned = asyncio.ensure_future(_spawn(argv, output, cwd=cwd, env=env, stdin=stdin, user=user, pass_fds=pass_fds))
    try:
        process, pipe = await asyncio.shield(spawned)
        why = await _wait_for_end(process, timeout, watch)
    except asyncio.CancelledError:
        process, pipe = await spawned  # cancelled, maybe while the process was being started
        await asyncio.shield(_end(process, pipe, output, grace))
        raise
    await asyncio.shield(_end(process, pipe, output, grace))
    code = process.returncode
    exit_code = None if why or code is None else code if code >= 0 else 128 - code
    return Completed(tuple(argv), exit_code, output.text(), loop.time() - started, output.cut > 0, why)


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
    """Start the command with both outputs on one pipe that Heal opened itself: a pipe that asyncio creates could not be
    closed while a grandchild holds it."""
    reader, writer = os.pipe()
    command, variables, options = _command_as(user, argv, env)
    with tempfile.TemporaryFile() as given, os.fdopen(writer, "wb", 0) as sink, contextlib.ExitStack() as stack:
        source = stack.enter_context(os.fdopen(reader, "rb", 0))
        given.write(stdin)
        given.seek(0)
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env=variables,
            stdin=given if stdin else asyncio.subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
            **options,
        )
        stack.pop_all()
    pipe, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: output, source)
    return process, pipe


def _command_as(
    user: Owner | None, argv: Sequence[str], env: Mapping[str, str]
) -> tuple[Sequence[str], dict[str, str], dict[str, Any]]:
    """The command line, variables and options that start a command as `user`. Python changes the user by copying the
    whole process (fork), some 30 ms for each 100 MB; `setpriv` is started without a copy (vfork). It has Heal's rights
    until it drops them, so it gets none of the command's variables and starts nothing but `env`. Raises
    FileNotFoundError where the command does not exist."""
    if user is None:
        return argv, dict(env), {}
    if os.geteuid() != 0 or not os.access(SETPRIV, os.X_OK):
        return argv, dict(env), {"user": user.uid, "group": user.gid, "extra_groups": []}
    if shutil.which(argv[0], path=env.get("PATH", os.defpath)) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argv[0])
    setpriv = (SETPRIV, f"--reuid={user.uid}", f"--regid={user.gid}", "--clear-groups", "--")
    assignments = (f"{name}={value}" for name, value in env.items())
    return (*setpriv, "/usr/bin/env", "-i", "--", *assignments, *argv), {}, {}


async def _wait_for_end(
    process: asyncio.subprocess.Process, timeout: float, watch: Callable[[int], Coroutine[Any, Any, str]] | None
) -> str:
    """Wait for whichever comes first: the end of the process, the watch or the time limit. Return an empty text when
    the command ended by itself, else why it has to be ended."""
    ended = asyncio.create_task(process.wait())
    watching = {asyncio.create_task(watch(process.pid))} if watch else set()
    try:
        done, _ = await asyncio.wait({ended, *watching}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if ended in done:
            return ""
        return next((task.result() for task in watching if task in done), f"time limit {timeout:g} s")
    finally:
        await _cancel(ended, *watching)


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _end(process: asyncio.subprocess.Process, pipe: asyncio.ReadTransport, output: Output, grace: float) -> None:
    """Kill what is left of the group, reap the leader and close the pipe, even if another process still holds its other
    end."""
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
    """Wait until the group is gone. Its orphans die asynchronously and may fork until then, so they are killed
    repeatedly."""
    while _living(group):
        _kill_group(group)
        await asyncio.sleep(0.005)


def _living(group: int) -> bool:
    """Whether a process of the group still runs. A zombie that its new parent has not reaped yet does not count.
    Without /proc the two can't be told apart, and nothing is waited for."""
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
