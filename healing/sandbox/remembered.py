"""Keeps the result of probing this machine, for a person's own commands, until something that it depends on changes.

A probe starts some seven programs, and a person waits for each. Its result depends on the kernel's settings, the
namespaces and limits that Heal itself runs in, the programs that it starts, and Heal's own code. All of these are part
of the key under which it is kept, together with the boot id. Servers probe at every start, and `heal doctor` always
probes.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from healing.sandbox.bubblewrap import Bubblewrap, bwrap_commands
from healing.sandbox.cgroups import find_cgroups
from healing.sandbox.interpreter import Interpreter
from healing.sandbox.probe import Probe, ProbedBackend, mount_point, of_person, probe
from healing.sandbox.temporary import sweep, unfinished

FILE = "probe.json"
PROC = Path("/proc")
KERNEL = (
    "sys/kernel/random/boot_id",
    "sys/kernel/unprivileged_userns_clone",
    "sys/kernel/apparmor_restrict_unprivileged_userns",
    "sys/user/max_user_namespaces",
    "self/attr/current",  # the security profile that Heal runs under
)
NAMESPACES = ("user", "mnt", "pid")
OWN_LIMITS = re.compile(r"^(?:NoNewPrivs|Seccomp|CapBnd|CapEff|Uid|Gid):.*$", re.M)
STARTED = ("/usr/bin/unshare", "/usr/bin/mount", "/usr/bin/prlimit", "/usr/bin/env")


async def probe_of_person(data: Path) -> Probe:
    """bubblewrap for a person's own commands: probed, or as kept from a probe under the same conditions."""
    if (known := _known(data)) is not None:
        await asyncio.to_thread(sweep, None)
        groups = await asyncio.to_thread(find_cgroups)
        return Probe(replace(known, groups=groups), (ProbedBackend(known.name, True, "as before"),))
    probed = await probe(data, "bubblewrap", person=True)
    if isinstance(probed.sandbox, Bubblewrap):
        _keep(data, probed.sandbox)
    return probed


def works_as_before(data: Path) -> bool:
    """Whether bubblewrap was found to work here, under the same conditions."""
    return _known(data) is not None


def _known(data: Path) -> Bubblewrap | None:
    """The sandbox from the kept result; None where there is none, or anything that it depends on has changed."""
    try:
        kept = json.loads((data / FILE).read_bytes())
        command = str(kept["command"])
        if kept["key"] != _key(data):
            return None
        readable = tuple(Path(path) for path in kept["readable"])
        interpreter = Interpreter(Path(kept["interpreter"]), readable, dict(kept["env"]))
        layered = kept["layered"] is True
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return of_person(
        Bubblewrap(command, None, mount_point(data, interpreter), layered=layered, interpreter=interpreter)
    )


def _keep(data: Path, sandbox: Bubblewrap) -> None:
    """Store the result. It is written to a temporary file first, since another command may be reading; where that fails
    nothing is stored."""
    interpreter = sandbox.interpreter
    kept = {
        "key": _key(data),
        "command": sandbox.command,
        "interpreter": str(interpreter.path),
        "readable": [str(path) for path in interpreter.readable],
        "env": interpreter.env,
        "layered": sandbox.layered,
    }
    with contextlib.suppress(OSError), unfinished(data) as place:
        (place / FILE).write_text(json.dumps(kept))
        (place / FILE).replace(data / FILE)


def _key(data: Path) -> str:
    programs = (*map(Path, bwrap_commands()), *map(Path, STARTED), *sorted(Path(__file__).parent.glob("*.py")))
    parts = [str(data), list(_circumstances()), [_stamp(program) for program in programs], _disk(data)]
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _circumstances() -> Iterator[str]:
    """Yield the kernel's settings, and Heal's own privileges."""
    for name in KERNEL:
        with contextlib.suppress(OSError):
            yield f"{name} {(PROC / name).read_text(errors='replace').strip()}"
    for name in NAMESPACES:
        with contextlib.suppress(OSError):
            yield os.readlink(PROC / "self" / "ns" / name)
    yield from OWN_LIMITS.findall((PROC / "self" / "status").read_text())


def _disk(data: Path) -> int:
    try:
        return data.stat().st_dev
    except OSError:
        return 0


def _stamp(program: Path) -> tuple[str, int, int, int]:
    try:
        status = program.stat()
    except OSError:
        return str(program), 0, 0, 0
    return str(program), status.st_ino, status.st_size, status.st_mtime_ns
