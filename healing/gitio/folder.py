"""A folder that nothing leads out of: every step is an openat without following links, so whatever a repository's
own commands leave behind (symlinks, pipes, folders without end), Heal reads and writes only what is really inside."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from healing.gitio.errors import GitError, UnsafePath
from healing.gitio.names import checked
from healing.sandbox.owner import Owner

MAX_FILE = 100 << 20  # bytes; GitHub takes no larger file either
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe must not block us
IN_THE_WAY = {errno.ENOTDIR, errno.ELOOP, errno.EEXIST, errno.EISDIR, errno.ENOENT}
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def opened(path: str | bytes | Path, at: int | None = None) -> Iterator[int]:
    """A folder's descriptor, closed on the way out. Raises OSError where it is no folder."""
    fd = os.open(path, FOLDER, dir_fd=at)
    try:
        yield fd
    finally:
        os.close(fd)


def read_regular(at: int, name: bytes) -> tuple[bytes, os.stat_result]:
    """A regular file's bytes. Raises OSError where it is none, GitError where it is over MAX_FILE."""
    fd = os.open(name, READ, dir_fd=at)
    with open(fd, "rb", closefd=True) as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise UnsafePath(f"{name!r} is not a regular file")
        data = file.read(MAX_FILE + 1) if status.st_size <= MAX_FILE else None
        if data is None or len(data) > MAX_FILE:
            raise GitError(f"{name!r} is over {MAX_FILE >> 20} MB; add it to .gitignore or make it smaller")
        return data, status


def create_regular(at: int, name: bytes, data: bytes, executable: bool, owner: Owner | None) -> None:
    """A new file; raises FileExistsError where the name is taken."""
    fd = os.open(name, CREATE, 0o600, dir_fd=at)
    with open(fd, "wb", closefd=True) as file:
        file.write(data)
        os.fchmod(fd, 0o755 if executable else 0o644)
        if owner:
            os.fchown(fd, owner.uid, owner.gid)


def create_link(at: int, name: bytes, target: bytes, owner: Owner | None) -> None:
    os.symlink(target, name, dir_fd=at)
    if owner:
        os.chown(name, owner.uid, owner.gid, dir_fd=at, follow_symlinks=False)


def create_folder(at: int | None, name: bytes | str | Path, owner: Owner | None, mode: int = 0o755) -> None:
    """A new folder with exactly this mode; raises FileExistsError."""
    os.mkdir(name, 0o700, dir_fd=at)
    with opened(name, at) as fd:
        os.fchmod(fd, mode)
        if owner:
            os.fchown(fd, owner.uid, owner.gid)


class Folder:
    """Reads and writes files below one root by repo-relative path."""

    def __init__(self, root: Path, owner: Owner | None = None) -> None:
        self.root = root
        self.owner = owner

    def read(self, path: str) -> bytes | None:
        """The file's bytes; None where no regular file can be reached without following a link.

        Raises UnsafePath for a hostile path, GitError for a file over MAX_FILE.
        """
        try:
            with self._parent(checked(path), create=False) as (fd, name):
                status = status_of(fd, name)
                return read_regular(fd, name)[0] if status and stat.S_ISREG(status.st_mode) else None
        except OSError as error:
            if error.errno in IN_THE_WAY:
                return None
            raise

    def write(self, path: str, data: bytes, executable: bool | None = None) -> None:
        """Sets the file, whole; `executable` None keeps what it was. Raises UnsafePath where a symlink or something
        else is in the way."""
        raw = checked(path)
        try:
            with self._parent(raw, create=True) as (fd, name):
                old = status_of(fd, name)
                if old is not None and not stat.S_ISREG(old.st_mode):
                    raise UnsafePath(f"{path} is not a regular file; only regular files can be written")
                if executable is None:
                    executable = bool(old and old.st_mode & 0o100)
                partial = b".heal-" + secrets.token_hex(8).encode()
                create_regular(fd, partial, data, executable, self.owner)
                os.rename(partial, name, src_dir_fd=fd, dst_dir_fd=fd)
        except OSError as error:
            if error.errno not in IN_THE_WAY:
                raise
            raise UnsafePath(f"{path}: a file or a link is where a folder should be; nothing was written") from None

    def remove(self, path: str) -> None:
        """Deletes the file, and the folders that are empty then; fine where there is none."""
        raw = checked(path)
        try:
            with self._parent(raw, create=False) as (fd, name):
                old = status_of(fd, name)
                if old is None or stat.S_ISDIR(old.st_mode):
                    return
                if not stat.S_ISREG(old.st_mode):
                    raise UnsafePath(f"{path} is not a regular file; only regular files can be deleted")
                os.unlink(name, dir_fd=fd)
        except OSError as error:
            if error.errno in IN_THE_WAY:
                return
            raise
        self._prune(raw)

    def _prune(self, raw: bytes) -> None:
        while b"/" in raw:
            raw = raw.rpartition(b"/")[0]
            with suppress(OSError), self._parent(raw, create=False) as (fd, name):
                os.rmdir(name, dir_fd=fd)
                continue
            return

    @contextmanager
    def _parent(self, raw: bytes, create: bool) -> Iterator[tuple[int, bytes]]:
        *folders, name = raw.split(b"/")
        fd = os.open(self.root, FOLDER)
        try:
            for folder in folders:
                if create:
                    with suppress(FileExistsError):
                        create_folder(fd, folder, self.owner)
                below = os.open(folder, FOLDER, dir_fd=fd)
                os.close(fd)
                fd = below
            yield fd, name
        finally:
            os.close(fd)


def status_of(at: int, name: bytes) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return None
