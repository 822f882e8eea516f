"""Redis as the replacement for the image `redis`, and for `valkey`, which uses the same protocol."""

import shlex

from healing.checks.services.programs import printed_version
from healing.checks.services.service import Installed, Server, ServiceKind


def find(_version: str) -> Installed | None:
    """The Redis server of this machine's system folders; None where it is missing."""
    server = printed_version("redis-server", r"v=([0-9.]{1,20})")
    return Installed("Redis", server.version, server.program) if server else None


def start(server: Server, installed: Installed) -> str:
    """Bash text that starts the server. Nothing is saved, since all data vanishes with the sandbox."""
    return (
        f"{shlex.quote(installed.program)} --port {server.port} --bind {server.address} --dir \"$data\" --save ''"
        ' > "$data/log" 2>&1 &\n'
        f"until_ready $! answers {server.address} {server.port} || failed\n"
    )


IMAGES = {"redis": "Redis", "valkey/valkey": "Valkey"}
REDIS = ServiceKind("redis", IMAGES, "redis-server", 6379, find, start)
