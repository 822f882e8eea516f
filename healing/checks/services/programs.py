"""Server programs of this machine, with the versions that they print."""

import functools
import re
import shutil
import subprocess
from dataclasses import dataclass

SYSTEM = (
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # the folders of this machine that the sandbox shows
)


@dataclass(frozen=True)
class Program:
    """The path of a program, and its version."""

    program: str
    version: str


@functools.cache
def printed_version(name: str, pattern: str) -> Program | None:
    """The program `name`, with the version that the first group of `pattern` matches in the output of `--version`; None
    where the program is missing or prints no such version."""
    place = shutil.which(name, path=SYSTEM)
    if place is None:
        return None
    try:
        output = subprocess.run([place, "--version"], capture_output=True, timeout=10, check=False, env={}).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(pattern, output.decode(errors="replace"))
    return Program(place, match.group(1)) if match else None
