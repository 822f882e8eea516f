"""Receives the reports of test runners inside the sandbox over a socket that Heal listens on, so that the code under
test can't read, change or remove what was reported.

A runner connects and gets a key, with which it signs every line; a line without a valid signature, or a second
connection of the same process, is forged. Reports of processes below a connected runner don't count: the code under
test starts those, not the workflow's command. The process ids come from the kernel (SO_PEERCRED).

Where the sandbox forbids sockets (Landlock), a named pipe is used that can only be written to: there a runner makes up
the key itself and sends it with its process id, in one line before any code of the repository runs.
"""

import asyncio
import hashlib
import json
import os
import secrets
import socket
import struct
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from healing.testruns.report import MAX_IDS, RunReport, entry

MAX_LINE = 1 << 20
MAX_BYTES = 64 << 20
MAX_CONNECTIONS = 4_000
MAX_ID = 4_000  # characters of an id that are kept
MAX_ALTERED = 50
DRAIN_SECONDS = 5.0
OUTCOMES = ("passed", "failed", "skipped")
Named = tuple[bool, str]  # whether it is a file, and the id


@dataclass
class RunnerReport:
    """The report of one test runner."""

    pid: int
    ancestors: tuple[tuple[int, int], ...]  # from the runner to Heal: process ids outside and inside the sandbox
    runner: str = ""
    folder: str = ""
    nested: bool = False
    outcomes: dict[Named, str] = field(default_factory=dict)
    altered: list[str] = field(default_factory=list)
    ended: bool = True  # False from its begin message until its end message

    def below(self, main: int) -> bool:
        """Whether it was started below the process with this id inside the sandbox; True if that is unknown."""
        return not main or not self.ancestors or any(inside == main for _, inside in self.ancestors)


class Forged(Exception):
    """Raised for a line that the runner did not write."""


@dataclass
class Collector:
    """Collects the reports of one job's runners; `roots` are paths of the worktree, which differ from run to run."""

    roots: frozenset[str]
    sessions: list[RunnerReport] = field(default_factory=list)
    open: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    pipe: int = -1  # the named pipe; `writers`: by process id the session, the key and the number of lines
    writers: dict[int, tuple[RunnerReport, str, int]] = field(default_factory=dict)
    rest: bytes = b""
    forged: bool = False
    taken: int = 0

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Accepts one connection."""
        connection: socket.socket = writer.get_extra_info("socket")
        pid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        ancestors = tuple(ancestry(pid))
        if os.getpid() not in {ancestor for ancestor, _ in ancestors} or len(self.sessions) >= MAX_CONNECTIONS:
            writer.close()  # another process on this machine
            return
        if pid in self.open:
            self.forged = True
            writer.close()
            return
        nested = any(ancestor in self.open for ancestor, _ in ancestors)
        session = RunnerReport(pid, ancestors, nested=nested)
        self.sessions.append(session)
        self.open[pid] = asyncio.create_task(self._take(session, reader, writer))

    async def _take(self, session: RunnerReport, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        key = secrets.token_hex(16)
        try:
            writer.write(f"{key}\n".encode())
            await writer.drain()
            number = 0
            while line := await reader.readline():
                self.taken += len(line)
                if self.taken > MAX_BYTES:
                    raise Forged
                self._note(session, signed(line, key, number))
                number += 1
        except (Forged, ValueError, TypeError):
            self.forged = self.forged or not session.nested
        except OSError:
            pass
        finally:
            self.open.pop(session.pid, None)
            writer.close()

    def take_pipe(self) -> None:
        """Reads what is in the pipe."""
        with suppress(BlockingIOError):
            while chunk := os.read(self.pipe, 1 << 16):
                self.taken += len(chunk)
                *lines, self.rest = (self.rest + chunk).split(b"\n")
                for line in lines:
                    try:
                        self._line(line)
                    except (Forged, ValueError, TypeError):
                        self.forged = True
                if self.taken > MAX_BYTES or len(self.rest) > MAX_LINE:
                    self.forged, self.rest = True, b""

    def _line(self, line: bytes) -> None:
        number, _, rest = line.partition(b" ")
        pid = int(number)
        if rest.startswith(b"key "):
            known = self.writers.get(pid)
            if (known and not known[0].ended) or len(self.writers) >= MAX_CONNECTIONS:
                raise Forged
            ancestors = tuple(ancestry(pid))
            nested = any(ancestor in self.writers for ancestor, _ in ancestors[1:])
            session = RunnerReport(pid, ancestors, nested=nested)
            self.sessions.append(session)
            self.writers[pid] = session, rest[4:68].decode("ascii"), 0
        elif pid in self.writers:
            session, key, count = self.writers[pid]
            if not session.nested:
                self._note(session, signed(rest, key, count))
            self.writers[pid] = session, key, count + 1
        else:
            raise Forged

    def _note(self, session: RunnerReport, message: dict[str, object]) -> None:
        kind = message.get("k")
        if kind == "begin":
            session.ended = False
            session.runner = str(message.get("runner", ""))[:100]
            session.folder = self._relative(str(message.get("cwd", "")))
        elif kind in ("test", "file"):
            self._outcome(session, kind == "file", message.get("id"), message.get("o"))
        elif kind == "tests":
            tests = message.get("tests")
            for test, outcome in tests if isinstance(tests, list) else ():
                self._outcome(session, False, test, outcome)
        elif kind == "ids":
            ids = message.get("ids")
            for item in ids if isinstance(ids, list) else ():
                session.outcomes.setdefault((False, self._relative(str(item))), "unrun")
        elif kind == "end":
            altered = message.get("altered")
            session.altered += (
                [self._relative(str(item)) for item in altered or ()] if isinstance(altered, list) else []
            )
            session.ended = True
        elif kind != "open":
            raise Forged

    def _outcome(self, session: RunnerReport, file: bool, test: object, outcome: object) -> None:
        if outcome not in OUTCOMES or session.ended:
            raise Forged
        session.outcomes[file, self._relative(str(test))] = str(outcome)

    def _relative(self, text: str) -> str:
        for root in sorted(self.roots, key=len, reverse=True):
            text = text.replace(f"{root}/", "").replace(root, ".")
        return text[:MAX_ID]

    async def close(self) -> None:
        """Reads what is still on its way from runners that have ended."""
        await asyncio.sleep(0)
        if self.pipe >= 0:
            self.take_pipe()
        if self.open:
            _, late = await asyncio.wait(self.open.values(), timeout=DRAIN_SECONDS)
            for task in late:
                task.cancel()

    def report(self, main: int = 0) -> RunReport | None:
        """The combined report; None if nothing was reported, or too much to keep. `main` is the process id, inside the
        sandbox, of the step's first process: runners not below it were not started by the step's commands."""
        sessions = [
            session for session in self.sessions if session.runner and not session.nested and session.below(main)
        ]
        if not sessions and not self.forged:
            return None
        if sum(len(session.outcomes) for session in sessions) > MAX_IDS:
            return None
        groups: dict[str, list[str]] = {"passed": [], "failed": [], "skipped": [], "unrun": []}
        for session in sessions:
            for (file, test), outcome in session.outcomes.items():
                groups[outcome].append(entry(f"{session.runner} {session.folder} {test}", file))
        altered = dict.fromkeys(name for session in sessions for name in session.altered)
        return RunReport(
            **{outcome: tuple(sorted(entries)) for outcome, entries in groups.items()},
            early=not all(session.ended for session in sessions),
            forged=self.forged,
            altered=tuple(altered)[:MAX_ALTERED],
        )


def signed(line: bytes, key: str, number: int) -> dict[str, object]:
    """The message in a signed line. Raises Forged."""
    mark, _, text = line.rstrip(b"\n").partition(b" ")
    wanted = hashlib.sha256(f"{key}{number}".encode() + text).hexdigest()[:16]
    if not secrets.compare_digest(mark, wanted.encode()):
        raise Forged
    message = json.loads(text)
    if not isinstance(message, dict):
        raise Forged
    return message


def ancestry(pid: int) -> Iterable[tuple[int, int]]:
    """The process and its ancestors up to Heal, each with its process id in its own namespace."""
    for _ in range(100):
        if pid <= 1:
            return
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        yield pid, int(fields.get("NSpid", str(pid)).split()[-1])
        if pid == os.getpid():
            return
        pid = int(fields["PPid"])


@asynccontextmanager
async def collecting(path: Path, roots: frozenset[str], by_socket: bool) -> AsyncIterator[Collector]:
    """Listens at `path` for the runners of one job, on a socket or a named pipe."""
    collector = Collector(roots)
    async with _socket(collector, path) if by_socket else _pipe(collector, path):
        yield collector


@asynccontextmanager
async def _socket(collector: Collector, path: Path) -> AsyncIterator[None]:
    server = await asyncio.start_unix_server(collector.serve, path, limit=MAX_LINE, backlog=64)
    path.chmod(0o666)
    try:
        yield
    finally:
        server.close()
        await collector.close()


@asynccontextmanager
async def _pipe(collector: Collector, path: Path) -> AsyncIterator[None]:
    os.mkfifo(path)
    path.chmod(0o622)
    loop, pipe = asyncio.get_running_loop(), os.open(path, os.O_RDWR | os.O_NONBLOCK)
    collector.pipe = pipe
    loop.add_reader(pipe, collector.take_pipe)
    try:
        yield
    finally:
        loop.remove_reader(pipe)
        collector.pipe = -1
        os.close(pipe)
