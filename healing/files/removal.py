"""Removes whole folders, whatever an untrusted command made of them."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def remove_tree(path: Path) -> None:
    """Remove a file or folder, however deep and whatever its modes; does nothing where there is none. Raises
    NotADirectoryError where the parent is not a folder.

    Subfolders are moved up beside each other before they are emptied, so that neither recursion depth, open files nor
    path length is a limit.
    """
    with suppress(NotADirectoryError):
        with suppress(FileNotFoundError), _opened(path.parent) as parent:
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
    with _opened(name, parent) as root:
        while _remove_level(root):
            pass
    os.rmdir(name, dir_fd=parent)


def _remove_level(root: int) -> bool:
    """Delete the root's files and move the contents of its folders up into it. Returns whether there was anything to
    do."""
    with os.scandir(root) as listing:
        entries = [(os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in listing]
    for name, folder in entries:
        if not folder:
            os.unlink(name, dir_fd=root)
            continue
        _unlock(root, name)
        with _opened(name, root) as fd:
            with os.scandir(fd) as listing:
                inner = [(os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in listing]
            for child, is_folder in inner:
                if is_folder:
                    _unlock(fd, child)
                    os.rename(child, secrets.token_hex(12), src_dir_fd=fd, dst_dir_fd=root)
                else:
                    os.unlink(child, dir_fd=fd)
        os.rmdir(name, dir_fd=root)
    return bool(entries)


def _unlock(at: int, name: bytes) -> None:
    """Give Heal access to a folder that was made mode 000. Checks the type first, since chmod would follow a link."""
    status = os.stat(name, dir_fd=at, follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode) and status.st_mode & 0o700 != 0o700:
        os.chmod(name, 0o700, dir_fd=at)


@contextmanager
def _opened(path: bytes | Path, at: int | None = None) -> Iterator[int]:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
    try:
        yield fd
    finally:
        os.close(fd)
