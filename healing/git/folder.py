"""Folder operations that can't be led outside: every step is an openat that follows no links.

Whatever a repository's own commands leave behind (symlinks, pipes, endless folders), Heal reads and writes only what is
really inside.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from healing.git.errors import GitError, UnsafePath
from healing.process.owner import Owner

MAX_FILE = 100 << 20  # bytes; GitHub's limit too
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe must not block us
IN_THE_WAY = {errno.ENOTDIR, errno.ELOOP, errno.EEXIST, errno.EISDIR, errno.ENOENT}
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def opened(path: str | bytes | Path, at: int | None = None) -> Iterator[int]:
    """Opens a folder for the block; yields its descriptor. Raises OSError if it isn't a folder."""
    fd = os.open(path, FOLDER, dir_fd=at)
    try:
        yield fd
    finally:
        os.close(fd)


def read_regular(at: int, name: bytes) -> tuple[bytes, os.stat_result]:
    """A regular file's bytes and status. Raises OSError where it can't be opened, UnsafePath where it isn't a regular
    file, GitError where it is over MAX_FILE."""
    fd = os.open(name, READ, dir_fd=at)
    with open(fd, "rb", closefd=True) as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise UnsafePath(f"{name!r} is not a regular file")
        data = file.read(MAX_FILE + 1) if status.st_size <= MAX_FILE else None
        if data is None or len(data) > MAX_FILE:
            raise GitError(f"{os.fsdecode(name)} is over {MAX_FILE >> 20} MB; add it to .gitignore or make it smaller")
        return data, status


def create_regular(at: int, name: bytes, data: bytes, executable: bool, owner: Owner | None) -> None:
    """Creates a file. Raises FileExistsError if the name is taken.

    A checkout calls this thousands of times, so it uses the bare descriptor: a file object repeats system calls.
    """
    fd = os.open(name, CREATE, 0o600, dir_fd=at)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left) :]
        os.fchmod(fd, 0o755 if executable else 0o644)
        if owner:
            os.fchown(fd, owner.uid, owner.gid)
    finally:
        os.close(fd)


def create_link(at: int, name: bytes, target: bytes, owner: Owner | None) -> None:
    os.symlink(target, name, dir_fd=at)
    if owner:
        os.chown(name, owner.uid, owner.gid, dir_fd=at, follow_symlinks=False)


def create_folder(at: int | None, name: bytes | str | Path, owner: Owner | None, mode: int = 0o755) -> None:
    """Creates a folder with exactly this mode, whatever the umask. Raises FileExistsError."""
    os.mkdir(name, 0o700, dir_fd=at)
    with opened(name, at) as fd:
        os.fchmod(fd, mode)
        if owner:
            os.fchown(fd, owner.uid, owner.gid)


def status_of(at: int, name: bytes) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return None
