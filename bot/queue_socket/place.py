"""The folder of a clone's queue in Heal's data; it is the same for all worktrees of the clone.

data/queue/<name>-<hash>/          accessible to its owner only (0700)
    queue.sock, serve.lock         while it is served
    trees/<session>/<agent>        worktrees that `heal queue join` creates
"""

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from handlers.errors import UserError

MAX_LENGTH = 107  # bytes of a Unix socket's path


@dataclass(frozen=True)
class QueuePlace:
    """`common` is the git folder that all worktrees of the clone share."""

    common: Path
    folder: Path
    socket: Path

    @property
    def lock(self) -> Path:
        return self.folder / "serve.lock"

    @property
    def trees(self) -> Path:
        return self.folder / "trees"

    @property
    def repo_id(self) -> int:
        """The clone's number in the store."""
        return int.from_bytes(_digest(self.common)[:7], "big")


def place_of(data: Path, common: Path, socket: Path | None = None) -> QueuePlace:
    """The folder of the clone with this shared git folder. Raises UserError if the socket's path would be too long."""
    common = common.resolve()
    top = common.parent if common.name == ".git" else common
    folder = data / "queue" / f"{top.name[:24]}-{_digest(common).hex()[:12]}"
    path = (socket or folder / "queue.sock").absolute()
    if len(os.fsencode(path)) > MAX_LENGTH:
        raise UserError(
            f"{path} is too long for a socket's path ({MAX_LENGTH} bytes); name a shorter one with --socket"
        )
    return QueuePlace(common, folder, path)


def make_private(folder: Path) -> None:
    """Creates the folder for its owner only. Raises UserError if it exists and others can access it."""
    folder.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise UserError(f"{folder} must be a folder that you own and nobody else may enter (chmod 700); name another")


def _digest(common: Path) -> bytes:
    return hashlib.sha256(os.fsencode(common)).digest()
