"""The files of the machine that a sandboxed command may read."""

import functools
import os
import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

SYSTEM = (Path("/usr"), Path("/bin"), Path("/sbin"), Path("/lib"), Path("/lib64"))
# What programs commonly read in /etc: names, types, time zones, and settings without which a language does not start.
# Whole folders only where no program keeps a login; of Java's, everything but `management`, which has passwords.
OF_ETC = (
    *("ld.so.cache", "alternatives", "ssl/certs", "ssl/openssl.cnf", "os-release", "lsb-release", "debian_version"),
    *("localtime", "timezone", "mime.types", "services", "protocols", "locale.alias", "terminfo", "magic", "fonts"),
    *("java-*/[!m]*", "maven/m2.conf", "maven/logging", "xml", "sgml"),
)
# PHP's settings may contain keys (of a monitoring agent, for example): only files that load extensions are shown.
OF_PHP = ("php/*/cli/conf.d/*.ini", "php.d/*.ini")
LOADS = re.compile(rb"\s*(?:(?:zend_)?extension\s*=|opcache\.|; priority=\d+\s*$|;[^=]*$|$)")


@functools.cache
def system_files() -> tuple[Path, ...]:
    """Files and folders of /etc that every command may read, as far as this machine has them."""
    etc = Path("/etc")
    loading = (path for name in OF_PHP for path in sorted(etc.glob(name)) if only_loads(path))
    return (*(path for name in OF_ETC for path in sorted(etc.glob(name))), *loading)


def only_loads(path: Path) -> bool:
    """Whether a PHP settings file only loads extensions or sets opcache."""
    try:
        return all(LOADS.match(line) for line in path.read_bytes().splitlines())
    except OSError:
        return False


@functools.cache
def hidden() -> tuple[Path, ...]:
    """Folders that contain Heal itself or its dependencies, and the base interpreter's own packages. They are covered
    wherever a readable folder would show them, so that Heal's own packages can never be imported in a check."""
    paths = sysconfig.get_paths()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base = Path(sys.base_prefix) / "lib" / version / "site-packages"
    heal = Path(__file__).resolve().parents[2]
    folders = {Path(paths["purelib"]), Path(paths["platlib"]), base, heal}
    return tuple(sorted(path.resolve() for path in folders if path.is_dir()))


def holes_in(path: Path, holes: tuple[Path, ...]) -> tuple[Path, ...]:
    """The holes that would be visible through `path`. A path that lies inside a hole was named on purpose and has
    none."""
    return tuple(hole for hole in holes if hole != path and hole.is_relative_to(path))


def around(path: Path, holes: tuple[Path, ...]) -> Iterator[Path]:
    """The smallest set of paths that together show all of `path` except the holes below it."""
    inner = holes_in(path, holes)
    if not inner:
        yield path
        return
    for entry in sorted(os.scandir(path), key=lambda one: one.name):
        if not entry.is_symlink() and Path(entry.path) not in inner:
            yield from around(Path(entry.path), inner)
