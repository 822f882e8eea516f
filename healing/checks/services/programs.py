"""Server programs of this machine, by what they say of themselves."""

import functools
import re
import shutil
import subprocess
from dataclasses import dataclass

SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # what the sandbox shows of this machine


@dataclass(frozen=True)
class Program:
    """Where a program lies, and its version."""

    program: str
    version: str


@functools.cache
def printed_version(name: str, pattern: str) -> Program | None:
    """The program `name` with what the first group of `pattern` finds in its `--version`; None where it is not there
    or does not say."""
    place = shutil.which(name, path=SYSTEM)
    if place is None:
        return None
    try:
        output = subprocess.run([place, "--version"], capture_output=True, timeout=10, check=False, env={}).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(pattern, output.decode(errors="replace"))
    return Program(place, found.group(1)) if found else None
