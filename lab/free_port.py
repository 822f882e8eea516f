"""A port for a process that begins later."""

import contextlib
import random
import socket

# Below the ports that Linux (32768 and up) and macOS (49152 and up) give to outgoing connections of their own accord:
# one of those another program could take before the process that it was found for listens on it.
PORTS = range(15_000, 32_000)
TRIES = 100


def free_port() -> int:
    """A port of loopback that nobody listens on. Raises OSError where a hundred of them are taken."""
    for port in random.sample(PORTS, TRIES):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError(f"{TRIES} ports between {PORTS.start} and {PORTS.stop} are taken")
