"""How an overlay's upper folder says what is different from the lower one: the kernel's own marks, made and read.

A *whiteout* (a character device 0:0) stands where something of the lower folder was deleted; an *opaque* folder hides
the lower one of its name. Any user may make both (Linux 5.8), in the `user.overlay.` form that `userxattr` mounts take.
A command inside can make neither: the overlay refuses them.
"""

import os
import secrets
import stat
from contextlib import suppress

OPAQUE = "user.overlay.opaque"


def is_whiteout(status: os.stat_result) -> bool:
    """Whether this is the mark of something deleted."""
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def is_opaque(folder: int) -> bool:
    """Whether this open folder hides the one below it."""
    try:
        return os.getxattr(folder, OPAQUE) == b"y"
    except OSError:  # no such mark, or a file system that has none
        return False


def make_whiteout(at: int, name: bytes) -> None:
    """Marks `name` as deleted. Raises FileExistsError where something is there."""
    os.mknod(name, stat.S_IFCHR, os.makedev(0, 0), dir_fd=at)


def make_opaque(folder: int) -> None:
    """Lets this open folder hide the one below it."""
    os.setxattr(folder, OPAQUE, b"y")


def marks_work(folder: int) -> bool:
    """Whether both marks can be made and read in this open folder; leaves nothing in it. Many may ask at once."""
    trial = b".heal-overlay-trial-" + secrets.token_hex(8).encode()
    try:
        os.mkdir(trial, 0o700, dir_fd=folder)
        below = os.open(trial, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            make_opaque(below)
            make_whiteout(below, b"w")
            return is_opaque(below) and is_whiteout(os.stat(b"w", dir_fd=below, follow_symlinks=False))
        finally:
            with suppress(FileNotFoundError):
                os.unlink(b"w", dir_fd=below)
            os.close(below)
            os.rmdir(trial, dir_fd=folder)
    except OSError:
        return False
