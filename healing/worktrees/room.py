"""Checks whether the disk has room for another worktree."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from healing.git import DiskFull

MIN_FREE = 1 << 30  # bytes that stay free for checks to work in
MIN_INODES = 50_000


def check_room(data: Path, needed: int, min_free: int) -> None:
    """Raises DiskFull if fewer than `min_free` bytes would remain free, or fewer than MIN_INODES files can be made."""
    free = shutil.disk_usage(data).free
    if free - needed < min_free:
        raise DiskFull(
            f"{free >> 20} MB are free below {data}; a worktree needs {(needed + min_free) >> 20} MB. "
            "Free some, let bases be cleaned earlier, or move the data to a larger disk"
        )
    inodes = os.statvfs(data)
    if inodes.f_files and inodes.f_favail < MIN_INODES:
        raise DiskFull(f"only {inodes.f_favail} files can still be made below {data}; remove some")


@contextmanager
def disk_full() -> Iterator[None]:
    """Turns an OSError for a full disk or quota into DiskFull."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFull("the disk filled up while a worktree was written; free some space and try again") from error
