"""Finds a port for a process that is started later."""

import contextlib
import random
import socket

# Below the ephemeral ports of Linux (32768 and up) and macOS (49152 and up): one of those could be used by another
# program's outgoing connection before the new process listens on it.
PORTS = range(15_000, 32_000)
TRIES = 100


def free_port() -> int:
    """Returns a free port on loopback. Raises OSError if a hundred tried ports are taken."""
    for port in random.sample(PORTS, TRIES):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError(f"{TRIES} ports between {PORTS.start} and {PORTS.stop} are taken")
