"""The marks by which an overlay's upper folder records how it differs from the lower one. A *whiteout* stands for
something deleted from the lower folder; an *opaque* folder hides the lower folder of the same name.

`KERNEL`: the kernel's own marks, so that the two can be mounted as an overlay. A whiteout is a character device 0:0.
Any user may create both (Linux 5.8), in the `user.overlay.` form that `userxattr` mounts accept. A command inside the
overlay can create neither: the overlay refuses them.

`PLAIN`: marks that work on every disk, for folders that are never mounted: those of agents, which only edit, on disks
that refuse the kernel's marks (such as a container's own, which is an overlay itself). A whiteout is a named pipe; an
opaque folder has the sticky bit.
"""

import os
import secrets
import stat
from contextlib import suppress

OPAQUE = "user.overlay.opaque"


class Marks:
    """The kernel's marks."""

    def is_whiteout(self, status: os.stat_result) -> bool:
        """Whether this marks something deleted."""
        return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0

    def is_opaque(self, folder: int) -> bool:
        """Whether this open folder hides the lower one."""
        try:
            return os.getxattr(folder, OPAQUE) == b"y"
        except OSError:  # no such mark, or a file system without extended attributes
            return False

    def make_whiteout(self, at: int, name: bytes) -> None:
        """Mark `name` as deleted. Raises FileExistsError where something is there."""
        os.mknod(name, stat.S_IFCHR, os.makedev(0, 0), dir_fd=at)

    def make_opaque(self, folder: int) -> None:
        """Make this open folder hide the lower one."""
        os.setxattr(folder, OPAQUE, b"y")


class PlainMarks(Marks):
    """Marks for folders that only Heal writes to."""

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
    """Whether the kernel's marks can be made and read in this open folder. Leaves nothing behind, and is safe to call
    concurrently."""
    trial = b".heal-overlay-trial-" + secrets.token_hex(8).encode()
    try:
        os.mkdir(trial, 0o700, dir_fd=folder)
        trial_folder = os.open(trial, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            KERNEL.make_opaque(trial_folder)
            KERNEL.make_whiteout(trial_folder, b"w")
            return KERNEL.is_opaque(trial_folder) and KERNEL.is_whiteout(
                os.stat(b"w", dir_fd=trial_folder, follow_symlinks=False)
            )
        finally:
            with suppress(FileNotFoundError):
                os.unlink(b"w", dir_fd=trial_folder)
            os.close(trial_folder)
            os.rmdir(trial, dir_fd=folder)
    except OSError:
        return False
