"""The descriptor by which a program of Heal's inside the sandbox reports to Heal, separate from what commands print.

It is a socket: unlike a pipe or a file, it can't be reopened through /proc/PID/fd. The program closes it before it
starts a command of the repository, so nothing that the command prints or writes can be mistaken for a report.
"""

import contextlib
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

VARIABLE = "HEAL_REPORT"  # holds the descriptor's number inside
MAX_BYTES = 64 << 10


@dataclass(frozen=True)
class ReportChannel:
    """The two ends of the socket; both None for a job without reports."""

    reader: socket.socket | None = None
    writer: socket.socket | None = None

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that the command inherits."""
        return (self.writer.fileno(),) if self.writer else ()

    @property
    def env(self) -> Mapping[str, str]:
        """The variable that names the descriptor to the command."""
        return {VARIABLE: str(self.writer.fileno())} if self.writer else {}

    def report(self) -> bytes:
        """What was written so far, at most MAX_BYTES."""
        chunks: list[bytes] = []
        with contextlib.suppress(BlockingIOError):
            while self.reader and sum(map(len, chunks)) < MAX_BYTES and (chunk := self.reader.recv(MAX_BYTES)):
                chunks.append(chunk)
        return b"".join(chunks)[:MAX_BYTES]


@contextlib.contextmanager
def report_channel(wanted: bool) -> Iterator[ReportChannel]:
    """Open the channel for one job; an empty one where none is wanted."""
    if not wanted:
        yield ReportChannel()
        return
    reader, writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with reader, writer:
        reader.setblocking(False)
        yield ReportChannel(reader, writer)
