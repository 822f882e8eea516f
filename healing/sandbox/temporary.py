"""Private temporary folders for back ends that have no file system of their own for them, and files on no disk.

Who makes a folder holds a lock on it (flock) for as long as it is needed. A lock goes with its process, whatever its
number was and in whichever container it ran; so a folder without one is a dead process's, and is swept.
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
UNFINISHED = ".making-"  # in the data folder: what is moved to its place, or removed, when it is done


@contextlib.asynccontextmanager
async def private_folder(owner: Owner | None) -> AsyncIterator[Path]:
    """A fresh temporary folder of the sandboxed user, removed afterwards whatever was done to it."""
    folder, lock = _made(PREFIX, Path(tempfile.gettempdir()).resolve())
    try:
        hand_over(folder, owner)
        yield folder
    finally:
        await asyncio.shield(_removed(folder, lock))


async def _removed(folder: Path, lock: int) -> None:
    """Removes it without holding up others. The disk is notified of what becomes free when the lock is closed, which on
    some takes milliseconds that nobody has to wait for."""
    try:
        folder.rmdir()  # as nearly always: a command left nothing in it
    except OSError:
        await asyncio.to_thread(remove_tree, folder)
    finally:
        asyncio.get_running_loop().run_in_executor(None, os.close, lock)


@contextlib.contextmanager
def unfinished(parent: Path) -> Iterator[Path]:
    """A new folder in `parent` for what is being made; it is removed in the end unless it was moved to its place.
    Should this process be killed, `sweep_unfinished` finds it."""
    with _held(UNFINISHED, parent) as folder:
        yield folder


@contextlib.contextmanager
def memory_file(content: bytes) -> Iterator[int]:
    """A descriptor of a file that is on no disk and holds this."""
    fd = os.memfd_create("heal")
    try:
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)


def sweep_unfinished(data: Path) -> tuple[str, ...]:
    """Removes what killed processes were making in the data folder and the folders right below. Gives the names."""
    return _sweep([*data.glob(f"{UNFINISHED}*"), *data.glob(f"*/{UNFINISHED}*")])


def sweep(owner: Owner | None) -> None:
    """Removes the temporary folders that a Heal which was killed left behind."""
    ours = (os.geteuid(), owner.uid if owner else os.geteuid())
    left = []
    for folder in Path(tempfile.gettempdir()).resolve().glob(f"{PREFIX}*"):
        with contextlib.suppress(FileNotFoundError):
            if folder.lstat().st_uid in ours:
                left.append(folder)
    _sweep(left)


def _sweep(folders: Iterable[Path]) -> tuple[str, ...]:
    """Removes those that nobody holds."""
    swept = []
    for folder in folders:
        lock = _hold(folder)
        if lock is not None:
            remove_tree(folder)
            os.close(lock)
            swept.append(folder.name)
    return tuple(swept)


@contextlib.contextmanager
def _held(prefix: str, parent: Path) -> Iterator[Path]:
    folder, lock = _made(prefix, parent)
    try:
        yield folder
    finally:
        remove_tree(folder)
        os.close(lock)


def _made(prefix: str, parent: Path) -> tuple[Path, int]:
    """A new folder and the descriptor that holds it."""
    while True:  # a sweep may come between making and holding: then it has this one, and we make another
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        if (lock := _hold(folder)) is not None:
            return folder, lock


def _hold(folder: Path) -> int | None:
    """A descriptor that holds the folder until it is closed; None where a living process does, or it is gone."""
    how = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        if not stat.S_IMODE(folder.lstat().st_mode) & stat.S_IRUSR and not folder.is_symlink():
            folder.chmod(0o700)  # its user closed it to himself
        lock = os.open(folder, how)
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
