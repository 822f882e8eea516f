"""Locks between processes: flock on a file, which the kernel releases when the process dies."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def acquire(path: Path, *, shared: bool = False, wait: bool = True) -> int | None:
    """A descriptor that holds the lock until it is closed; None if another process holds it and `wait` is false.

    The holder may unlink the lock file, so a lock on a file that no longer has its name is tried again.
    """
    operation = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, operation)
            if _still_there(fd, path):
                return fd
        except BlockingIOError:
            os.close(fd)
            return None
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _still_there(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


@contextmanager
def locked(path: Path, *, shared: bool = False) -> Iterator[None]:
    """Holds the lock for the block, after waiting for it."""
    fd = acquire(path, shared=shared)
    assert fd is not None
    try:
        yield
    finally:
        release(fd)


def release(fd: int, remove: Path | None = None) -> None:
    """Releases the lock. The file `remove` is deleted first; only the holder of an exclusive lock may pass it."""
    if remove is not None:
        with suppress(FileNotFoundError):
            remove.unlink()
    os.close(fd)
