"""Finds a Python that the sandboxed user can run; Heal's own may lie where only Heal can read it."""

import asyncio
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from healing.process.owner import Owner
from healing.process.shell import run
from healing.sandbox.temporary import unfinished

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
SYSTEM_BIN = (Path("/usr/local/bin"), Path("/usr/bin"))
# On a Debian without the full standard library the interpreter starts, but fails at these imports.
PROOF = "import asyncio, ctypes, json, unittest, zlib"
LEFT_OUT = shutil.ignore_patterns("site-packages", "test", "idlelib", "turtledemo", "config-*", "ensurepip", "*.a")


@dataclass(frozen=True)
class Interpreter:
    """`readable` is what a sandbox has to show besides the system's own folders, `env` what the interpreter needs to
    start."""

    path: Path
    readable: tuple[Path, ...] = ()
    env: dict[str, str] = field(default_factory=dict)


class NoInterpreterError(Exception):
    """The sandboxed user can run no Python; the message says why and what to do."""


async def find_interpreter(data: Path, owner: Owner | None, base: Path | None = None) -> Interpreter:
    """The first working interpreter of the running version: the one that Heal runs on, one of the system's, or a copy
    of the former in `data`. Raises NoInterpreterError."""
    base = (base or Path(sys.base_prefix)).resolve()
    system = base.is_relative_to("/usr")
    own = Interpreter(base / "bin" / VERSION, () if system else (base,))
    for candidate in (own, *(Interpreter(folder / VERSION) for folder in SYSTEM_BIN)):
        if await works(candidate, owner):
            return candidate
    copied = await asyncio.to_thread(copy_interpreter, base, data)
    if await works(copied, owner):
        return copied
    raise NoInterpreterError(
        f"the sandboxed user can run neither {own.path} nor a system {VERSION} nor a copy in {data}: "
        f"install {VERSION} for all users, or name a data folder that every user may pass through"
    )


async def works(interpreter: Interpreter, owner: Owner | None) -> bool:
    """Whether that user can really start it and import from it."""
    if not interpreter.path.exists():
        return False
    argv = [str(interpreter.path), "-I", "-S", "-c", PROOF]
    try:
        ended = await run(argv, cwd=Path("/"), env=interpreter.env, timeout=60, user=owner)
    except OSError:
        return False
    return ended.exit_code == 0


def copy_interpreter(base: Path, data: Path) -> Interpreter:
    """The interpreter at `base` without its installed packages, copied once into `data` and readable by every user."""
    folder = data / "interpreters" / f"{VERSION}.{sys.version_info.micro}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        with unfinished(folder.parent) as unfinished_copy:
            (unfinished_copy / "bin").mkdir()
            (unfinished_copy / "lib").mkdir()
            shutil.copy2((base / "bin" / VERSION).resolve(), unfinished_copy / "bin" / VERSION)
            for library in (base / "lib").glob("libpython*.so*"):
                shutil.copy2(library, unfinished_copy / "lib" / library.name)
            shutil.copytree(base / "lib" / VERSION, unfinished_copy / "lib" / VERSION, ignore=LEFT_OUT)
            open_to_all(unfinished_copy)
            place(unfinished_copy, folder)
    shared = any((folder / "lib").glob("libpython*.so*"))
    return Interpreter(folder / "bin" / VERSION, (folder,), {"LD_LIBRARY_PATH": str(folder / "lib")} if shared else {})


def open_to_all(folder: Path) -> None:
    """Make a folder readable by every user and writable only by Heal."""
    for root, _, files in os.walk(folder):
        os.chmod(root, 0o755)  # noqa: S103 - on purpose
        for name in files:
            path = os.path.join(root, name)
            if not os.path.islink(path):
                os.chmod(path, 0o755 if os.stat(path).st_mode & 0o100 else 0o644)


def place(made: Path, folder: Path) -> None:
    """Move a finished folder to its final place in one step; another process may have put the same there already."""
    try:
        os.rename(made, folder)
    except OSError:
        shutil.rmtree(made)
        if not folder.exists():
            raise
