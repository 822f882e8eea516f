"""How an upper folder says what is different from the lower one: by marks. A *whiteout* stands where something of the
lower folder was deleted; an *opaque* folder hides the lower one of its name.

`KERNEL`: the kernel's own, so that an overlay can be mounted of the two. A whiteout is a character device 0:0. Any user
may make both (Linux 5.8), in the `user.overlay.` form that `userxattr` mounts take. A command inside can make neither:
the overlay refuses them.

`PLAIN`: marks that every disk takes, for folders that are never mounted: those of agents, who only edit, on disks that
refuse the kernel's (a container's own, which is an overlay itself). A whiteout is a pipe, an opaque folder is sticky.
"""

import os
import secrets
import stat
from contextlib import suppress

OPAQUE = "user.overlay.opaque"


class Marks:
    """The kernel's."""

    def is_whiteout(self, status: os.stat_result) -> bool:
        """Whether this is the mark of something deleted."""
        return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0

    def is_opaque(self, folder: int) -> bool:
        """Whether this open folder hides the one below it."""
        try:
            return os.getxattr(folder, OPAQUE) == b"y"
        except OSError:  # no such mark, or a file system that has none
            return False

    def make_whiteout(self, at: int, name: bytes) -> None:
        """Marks `name` as deleted. Raises FileExistsError where something is there."""
        os.mknod(name, stat.S_IFCHR, os.makedev(0, 0), dir_fd=at)

    def make_opaque(self, folder: int) -> None:
        """Lets this open folder hide the one below it."""
        os.setxattr(folder, OPAQUE, b"y")


class PlainMarks(Marks):
    """Those for folders that nobody but Heal writes to."""

    def is_whiteout(self, status: os.stat_result) -> bool:
        return stat.S_ISFIFO(status.st_mode)

    def is_opaque(self, folder: int) -> bool:
        return bool(os.fstat(folder).st_mode & stat.S_ISVTX)

    def make_whiteout(self, at: int, name: bytes) -> None:
        os.mkfifo(name, 0o600, dir_fd=at)

    def make_opaque(self, folder: int) -> None:
        os.fchmod(folder, stat.S_IMODE(os.fstat(folder).st_mode) | stat.S_ISVTX)


KERNEL, PLAIN = Marks(), PlainMarks()


def marks_work(folder: int) -> bool:
    """Whether the kernel's marks can be made and read in this open folder; leaves nothing in it. Many may ask at
    once."""
    trial = b".heal-overlay-trial-" + secrets.token_hex(8).encode()
    try:
        os.mkdir(trial, 0o700, dir_fd=folder)
        below = os.open(trial, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            KERNEL.make_opaque(below)
            KERNEL.make_whiteout(below, b"w")
            return KERNEL.is_opaque(below) and KERNEL.is_whiteout(os.stat(b"w", dir_fd=below, follow_symlinks=False))
        finally:
            with suppress(FileNotFoundError):
                os.unlink(b"w", dir_fd=below)
            os.close(below)
            os.rmdir(trial, dir_fd=folder)
    except OSError:
        return False
