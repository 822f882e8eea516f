"""Redis in place of the image `redis`, and of `valkey`, which speaks the same."""

import shlex

from healing.checks.services.programs import printed_version
from healing.checks.services.service import Installed, Server, ServiceKind


def find(_version: str) -> Installed | None:
    """The one on the path."""
    found = printed_version("redis-server", r"v=([0-9.]{1,20})")
    return Installed("Redis", found.version, found.program) if found else None


def start(server: Server, installed: Installed) -> str:
    """Nothing is saved: it is all gone with the sandbox."""
    return (
        f"{shlex.quote(installed.program)} --port {server.port} --bind {server.address} --dir \"$data\" --save ''"
        ' > "$data/log" 2>&1 &\n'
        f"until_ready $! answers {server.address} {server.port} || failed\n"
    )


IMAGES = {"redis": "Redis", "valkey/valkey": "Valkey"}
REDIS = ServiceKind("redis", IMAGES, "redis-server", 6379, find, start)
