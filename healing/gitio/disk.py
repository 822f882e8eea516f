"""Whole folders: copied, measured and removed, whatever a stranger's commands made of them."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from healing.gitio.errors import Skipped
from healing.gitio.folder import CREATE, READ, create_folder, create_link, opened
from healing.gitio.names import MAX_DEPTH
from healing.sandbox.owner import Owner

CHUNK = 8 << 20


def copy_tree(source: Path, target: Path, owner: Owner | None) -> tuple[Skipped, ...]:
    """Copies a folder to a new place. Symlinks stay symlinks, nothing is followed; pipes, sockets, devices and what
    lies deeper than MAX_DEPTH are left out and reported."""
    skipped: list[Skipped] = []
    create_folder(None, target, owner)
    with opened(source) as src, opened(target) as dst:
        _copy_folder(src, dst, owner, "", 0, skipped)
    return tuple(skipped)


def _copy_folder(src: int, dst: int, owner: Owner | None, prefix: str, depth: int, skipped: list[Skipped]) -> None:
    with os.scandir(src) as found:
        entries = [(os.fsencode(entry.name), entry.stat(follow_symlinks=False)) for entry in found]
    for name, status in entries:
        path = prefix + os.fsdecode(name)
        if stat.S_ISREG(status.st_mode):
            _copy_file(src, dst, name, owner)
        elif stat.S_ISLNK(status.st_mode):
            create_link(dst, name, os.readlink(name, dir_fd=src), owner)
        elif stat.S_ISDIR(status.st_mode) and depth < MAX_DEPTH:
            create_folder(dst, name, owner)
            with opened(name, src) as below, opened(name, dst) as copy:
                _copy_folder(below, copy, owner, path + "/", depth + 1, skipped)
        else:
            skipped.append(Skipped(path, "is neither file, folder nor link, or lies too deep"))


def _copy_file(src: int, dst: int, name: bytes, owner: Owner | None) -> None:
    with (
        open(os.open(name, READ, dir_fd=src), "rb") as old,
        open(os.open(name, CREATE, 0o600, dir_fd=dst), "wb") as new,
    ):
        status = os.fstat(old.fileno())
        left = status.st_size
        while left > 0 and (sent := os.sendfile(new.fileno(), old.fileno(), None, min(left, CHUNK))):
            left -= sent
        os.fchmod(new.fileno(), 0o755 if status.st_mode & 0o100 else 0o644)
        if owner:
            os.fchown(new.fileno(), owner.uid, owner.gid)
        os.utime(new.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))


def size_of(folder: Path) -> int:
    """Bytes on disk, links not followed; what vanishes or can't be opened meanwhile counts nothing."""
    total = 0
    for at, _, files, fd in os.fwalk(folder, follow_symlinks=False, onerror=None):
        del at
        for name in files:
            with suppress(OSError):
                total += os.stat(name, dir_fd=fd, follow_symlinks=False).st_blocks * 512
    return total


def remove_tree(path: Path) -> None:
    """Removes a file or folder, however deep and with whatever modes; fine where there is none.

    Folders inside are moved up beside each other before they are emptied, so neither recursion, open files nor the
    length of a path is a limit.
    """
    with suppress(NotADirectoryError):
        with suppress(FileNotFoundError), opened(path.parent) as parent:
            _remove(parent, os.fsencode(path.name))
        return
    raise NotADirectoryError(f"{path.parent} is not a folder")


def _remove(parent: int, name: bytes) -> None:
    try:
        os.unlink(name, dir_fd=parent)
        return
    except (IsADirectoryError, PermissionError):
        pass
    _unlock(parent, name)
    with opened(name, parent) as root:
        while _remove_level(root):
            pass
    os.rmdir(name, dir_fd=parent)


def _remove_level(root: int) -> bool:
    """Empties the root of files and lifts the insides of its folders into it; whether anything is left."""
    with os.scandir(root) as found:
        entries = [(os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, folder in entries:
        if not folder:
            os.unlink(name, dir_fd=root)
            continue
        _unlock(root, name)
        with opened(name, root) as fd:
            with os.scandir(fd) as found:
                inner = [(os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in found]
            for child, is_folder in inner:
                if is_folder:
                    _unlock(fd, child)
                    os.rename(child, secrets.token_hex(12), src_dir_fd=fd, dst_dir_fd=root)
                else:
                    os.unlink(child, dir_fd=fd)
        os.rmdir(name, dir_fd=root)
    return bool(entries)


def _unlock(at: int, name: bytes) -> None:
    """Gives us a folder back that was made mode 000. Looks first, as chmod would follow a link."""
    status = os.stat(name, dir_fd=at, follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode) and status.st_mode & 0o700 != 0o700:
        os.chmod(name, 0o700, dir_fd=at)
