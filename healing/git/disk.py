"""Copies and measures whole folders, whatever untrusted commands left in them."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from healing.git.errors import Skipped
from healing.git.folder import CREATE, READ, create_folder, create_link, opened
from healing.git.names import MAX_DEPTH
from healing.process.owner import Owner

CHUNK = 8 << 20


def copy_tree(source: Path, target: Path, owner: Owner | None) -> tuple[Skipped, ...]:
    """Copies a folder to a new place. Symlinks are copied, never followed; pipes, sockets, devices and folders deeper
    than MAX_DEPTH are left out and reported."""
    skipped: list[Skipped] = []
    create_folder(None, target, owner)
    with opened(source) as src, opened(target) as dst:
        _copy_folder(src, dst, owner, "", 0, skipped)
    return tuple(skipped)


def copy_entry(source: Path, target: Path, path: str, owner: Owner | None) -> None:
    """Copies one file, link or empty folder to the same path below `target`. The path must be free there and its parent
    folders must exist. Raises OSError."""
    above, name = os.path.split(path)
    with opened(source / above) as src, opened(target / above) as dst:
        status = os.stat(name, dir_fd=src, follow_symlinks=False)
        copy_into(src, dst, os.fsencode(name), status, owner)


def copy_into(src: int, dst: int, name: bytes, status: os.stat_result, owner: Owner | None) -> bool:
    """Copies a file, a link, or a folder without its contents; returns False for pipes, sockets and devices."""
    if stat.S_ISREG(status.st_mode):
        _copy_file(src, dst, name, status, owner)
    elif stat.S_ISLNK(status.st_mode):
        create_link(dst, name, os.readlink(name, dir_fd=src), owner)
    elif stat.S_ISDIR(status.st_mode):
        create_folder(dst, name, owner)
    else:
        return False
    return True


def _copy_folder(src: int, dst: int, owner: Owner | None, prefix: str, depth: int, skipped: list[Skipped]) -> None:
    with os.scandir(src) as scan:
        entries = [(os.fsencode(entry.name), entry.stat(follow_symlinks=False)) for entry in scan]
    for name, status in entries:
        path = prefix + os.fsdecode(name)
        folder = stat.S_ISDIR(status.st_mode)
        if (folder and depth >= MAX_DEPTH) or not copy_into(src, dst, name, status, owner):
            skipped.append(Skipped(path, "is neither file, folder nor link, or lies too deep"))
        elif folder:
            with opened(name, src) as below, opened(name, dst) as copy:
                _copy_folder(below, copy, owner, path + "/", depth + 1, skipped)


def _copy_file(src: int, dst: int, name: bytes, status: os.stat_result, owner: Owner | None) -> None:
    """Copies a regular file with its times and exec bit.

    A copy of a folder calls this ten thousand times, so it uses bare descriptors: file objects repeat system calls.
    """
    old = os.open(name, READ, dir_fd=src)
    try:
        new = os.open(name, CREATE, 0o600, dir_fd=dst)
        try:
            left = status.st_size
            while left > 0 and (sent := os.sendfile(new, old, None, min(left, CHUNK))):
                left -= sent
            if owner:
                os.fchown(new, owner.uid, owner.gid)
            os.fchmod(new, 0o755 if status.st_mode & 0o100 else 0o644)
            os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
        finally:
            os.close(new)
    finally:
        os.close(old)


def size_per_name(status: os.stat_result) -> int:
    """The file's bytes on disk divided by its number of names, so that all names together count them once."""
    return status.st_blocks * 512 // max(1, status.st_nlink)


def size_of_copy(status: os.stat_result) -> int:
    """The bytes on disk that a copy of the file takes."""
    return status.st_blocks * 512


def alone(status: os.stat_result) -> int:
    """The bytes on disk that are freed when this name is removed."""
    return status.st_blocks * 512 if status.st_nlink == 1 else 0


def size_of(folder: Path, counted: Callable[[os.stat_result], int] = size_per_name) -> int:
    """Bytes on disk below `folder`, without following links; files that vanish or can't be opened count nothing."""
    total = 0
    if not folder.is_dir():
        return total
    for at, _, files, fd in os.fwalk(folder, follow_symlinks=False, onerror=None):
        del at
        for name in files:
            with suppress(OSError):
                total += counted(os.stat(name, dir_fd=fd, follow_symlinks=False))
    return total
