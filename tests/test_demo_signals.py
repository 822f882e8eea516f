"""What is left of the demo when it is told to end: nothing, whichever signal says so and whenever it comes."""

import asyncio
import contextlib
import os
import select
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from healing.files.removal import remove_tree

ROOT = Path(__file__).parent.parent
END_SECONDS = 60.0  # on a machine that has much else to do


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for temporary files that the sandbox's user may pass through."""
    folder = Path(tempfile.mkdtemp(prefix="heal-signals-"))
    folder.chmod(0o1777)
    try:
        yield folder
    finally:
        remove_tree(folder)


@contextlib.asynccontextmanager
async def demo(temporary: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """A running `heal demo --once` in a process group of its own, whose temporary files are in this folder."""
    own = {"TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC_", "HEAL_"))} | own
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "demo", "--once", cwd=ROOT, env=environment, start_new_session=True,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def printed(process: asyncio.subprocess.Process, start: str) -> None:
    """Until the demo prints a line that begins so."""
    assert process.stdout is not None
    before = []
    async for line in process.stdout:
        before.append(line.decode())
        if before[-1].startswith(start):
            return
    raise AssertionError("".join(before))


def descendants(pid: int) -> set[int]:
    """All processes that descend from this one."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found, size = {pid}, 0
    while len(found) > size:
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found - {pid}


def serving(pid: int) -> set[int]:
    """The `heal serve` among them: it lives until the demo ends it."""
    found = set()
    for one in descendants(pid):
        with contextlib.suppress(OSError):
            if b"serve" in Path(f"/proc/{one}/cmdline").read_bytes().split(b"\0"):
                found.add(one)
    return found


def opened(pids: set[int], stack: contextlib.ExitStack) -> list[int]:
    """pidfds of those that have not ended yet."""
    found = []
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            found.append(os.pidfd_open(pid))
            stack.callback(os.close, found[-1])
    return found


def naming(folder: Path) -> list[str]:
    """The commands of all processes in whose command or environment this folder is named."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes()
            if os.fsencode(folder) in command + (process / "environ").read_bytes():
                found.append(command.replace(b"\0", b" ").decode(errors="replace")[:200])
    return found


def ended(processes: list[int], seconds: float) -> bool:
    """Whether all of these (as pidfds) end within so long."""
    poll = select.poll()
    left = set(processes)
    for fd in left:
        poll.register(fd, select.POLLIN)
    while left:
        events = poll.poll(seconds * 1000)
        if not events:
            return False
        for fd, _ in events:
            poll.unregister(fd)
            left.discard(fd)
    return True


# UX-1
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("sent", "moment"),
    [
        pytest.param([signal.SIGTERM], "Starting", id="SIGTERM at the start"),
        pytest.param([signal.SIGTERM], "A pull request is open", id="SIGTERM while CI runs"),
        pytest.param([signal.SIGTERM], "CI is red", id="SIGTERM while Heal works"),
        pytest.param([signal.SIGHUP], "CI is red", id="SIGHUP while Heal works"),
        pytest.param([signal.SIGINT], "A pull request is open", id="SIGINT while CI runs"),
        pytest.param([signal.SIGTERM, *2 * (signal.SIGINT, signal.SIGHUP)], "CI is red", id="more while it ends"),
        pytest.param([signal.SIGTERM], "Heal is done", id="SIGTERM at the end", marks=pytest.mark.slow),
    ],
)
async def test_a_demo_that_is_told_to_end_leaves_no_process_and_no_folder(
    sent: list[signal.Signals], moment: str
) -> None:
    with temporary_folder() as temporary, contextlib.ExitStack() as stack:
        async with demo(temporary) as process:
            await printed(process, moment)
            processes = opened(descendants(process.pid), stack)
            process.send_signal(sent[0])
            if sent[1:]:
                # Signals that are sent at once reach a process in no certain order: the first has to show its effect.
                heal = opened(serving(process.pid), stack)
                assert await asyncio.to_thread(ended, heal, END_SECONDS), "the demo does not end what it started"
            for number in sent[1:]:
                process.send_signal(number)
            async with asyncio.timeout(END_SECONDS):
                output, _ = await process.communicate()
        assert process.returncode == 128 + sent[0], output.decode()
        assert await asyncio.to_thread(ended, processes, 5.0), naming(temporary)
        assert naming(temporary) == []
        assert os.listdir(temporary) == []
