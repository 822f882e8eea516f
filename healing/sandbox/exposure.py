"""Which files of the machine a sandboxed command may read."""

import functools
import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

SYSTEM = (Path("/usr"), Path("/bin"), Path("/sbin"), Path("/lib"), Path("/lib64"))
SYSTEM_FILES = (
    Path("/etc/ld.so.cache"),
    Path("/etc/alternatives"),
    Path("/etc/ssl/certs"),
    Path("/etc/ssl/openssl.cnf"),
    Path("/etc/os-release"),
    Path("/etc/lsb-release"),
    Path("/etc/debian_version"),
    Path("/etc/localtime"),
    Path("/etc/mime.types"),
)


@functools.cache
def hidden() -> tuple[Path, ...]:
    """Folders that hold Heal itself or what it imports, and the base interpreter's own packages: covered up wherever
    a readable folder would show them (WT-5: Heal's own packages are never importable in a check)."""
    paths = sysconfig.get_paths()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base = Path(sys.base_prefix) / "lib" / version / "site-packages"
    heal = Path(__file__).resolve().parents[2]
    found = {Path(paths["purelib"]), Path(paths["platlib"]), base, heal}
    return tuple(sorted(path.resolve() for path in found if path.is_dir()))


def holes_in(path: Path, holes: tuple[Path, ...]) -> tuple[Path, ...]:
    """The holes that would be seen through `path`; a path that lies inside a hole was named on purpose and has none."""
    return tuple(hole for hole in holes if hole != path and hole.is_relative_to(path))


def around(path: Path, holes: tuple[Path, ...]) -> Iterator[Path]:
    """The fewest paths that together show all of `path` but the holes beneath it."""
    inner = holes_in(path, holes)
    if not inner:
        yield path
        return
    for entry in sorted(os.scandir(path), key=lambda one: one.name):
        if not entry.is_symlink() and Path(entry.path) not in inner:
            yield from around(Path(entry.path), inner)
