"""Private temporary folders for back ends without file systems of their own, and files in memory.

The process that creates a folder holds a lock (flock) on it for as long as the folder is needed. A lock ends with its
process, whatever its pid and container; so a folder without one belongs to a dead process and is removed.
"""

import asyncio
import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path

from healing.files.removal import remove_tree
from healing.process.owner import Owner, hand_over

PREFIX = "heal-tmp-"
UNFINISHED = ".making-"  # in the data folder: moved to its final place, or removed, when done


@contextlib.asynccontextmanager
async def private_folder(owner: Owner | None) -> AsyncIterator[Path]:
    """A fresh temporary folder of the sandboxed user, removed afterwards whatever was done to it."""
    folder, lock = _make_locked(PREFIX, Path(tempfile.gettempdir()).resolve())
    try:
        hand_over(folder, owner)
        yield folder
    finally:
        await asyncio.shield(_removed(folder, lock))


async def _removed(folder: Path, lock: int) -> None:
    """Remove the folder without blocking others. Closing the lock is what frees the space, which takes milliseconds on
    some disks, so that happens in the background."""
    try:
        folder.rmdir()  # the usual case: a command left nothing in it
    except OSError:
        await asyncio.to_thread(remove_tree, folder)
    finally:
        asyncio.get_running_loop().run_in_executor(None, os.close, lock)


@contextlib.contextmanager
def unfinished(parent: Path) -> Iterator[Path]:
    """A new folder in `parent` for something under construction. It is removed afterwards unless it was moved to its
    final place; if this process is killed, `sweep_unfinished` finds it."""
    with _locked_folder(UNFINISHED, parent) as folder:
        yield folder


@contextlib.contextmanager
def memory_file(content: bytes) -> Iterator[int]:
    """A descriptor of a file in memory with this content."""
    fd = os.memfd_create("heal")
    try:
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)


def sweep_unfinished(data: Path) -> tuple[str, ...]:
    """Remove what killed processes left unfinished in the data folder and the folders directly below. Returns the
    names."""
    return _sweep([*data.glob(f"{UNFINISHED}*"), *data.glob(f"*/{UNFINISHED}*")])


def sweep(owner: Owner | None) -> None:
    """Remove the temporary folders that a killed Heal process left behind."""
    ours = (os.geteuid(), owner.uid if owner else os.geteuid())
    leftover = []
    for folder in Path(tempfile.gettempdir()).resolve().glob(f"{PREFIX}*"):
        with contextlib.suppress(FileNotFoundError):
            if folder.lstat().st_uid in ours:
                leftover.append(folder)
    _sweep(leftover)


def _sweep(folders: Iterable[Path]) -> tuple[str, ...]:
    """Remove the folders whose lock is free."""
    swept = []
    for folder in folders:
        lock = _lock(folder)
        if lock is not None:
            remove_tree(folder)
            os.close(lock)
            swept.append(folder.name)
    return tuple(swept)


@contextlib.contextmanager
def _locked_folder(prefix: str, parent: Path) -> Iterator[Path]:
    folder, lock = _make_locked(prefix, parent)
    try:
        yield folder
    finally:
        remove_tree(folder)
        os.close(lock)


def _make_locked(prefix: str, parent: Path) -> tuple[Path, int]:
    """Create a folder; return it with the descriptor that holds its lock."""
    while True:  # a sweep may take the folder before it is locked; then another one is created
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        if (lock := _lock(folder)) is not None:
            return folder, lock


def _lock(folder: Path) -> int | None:
    """A descriptor that locks the folder until it is closed; None where a living process holds the lock, or the folder
    is gone."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        if not stat.S_IMODE(folder.lstat().st_mode) & stat.S_IRUSR and not folder.is_symlink():
            folder.chmod(0o700)  # the sandboxed user took away its own access
        lock = os.open(folder, flags)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), folder.lstat()):
            return lock
    except OSError:
        pass
    os.close(lock)
    return None
