"""Reads and writes a folder's files by path. The folder may lie over another one: the two are read merged, as overlayfs
shows them, and only the upper one is written.

Only for use while no command runs in it: the kernel must not have the overlay mounted meanwhile.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from healing.files.overlay import KERNEL, Marks
from healing.git.errors import UnsafePath
from healing.git.folder import IN_THE_WAY, create_folder, create_regular, opened, read_regular, status_of
from healing.git.names import checked
from healing.process.owner import Owner


@dataclass(frozen=True)
class _Place:
    """One folder's descriptors in both layers; None in a layer that doesn't have it, or where it is hidden. A plain
    folder has only an upper layer, and no `marks`."""

    upper: int | None
    lower: int | None
    marks: Marks | None

    def hides(self, above: os.stat_result | None) -> bool:
        """Whether the upper layer's entry is a whiteout, which marks a deleted one."""
        return self.marks is not None and above is not None and self.marks.is_whiteout(above)

    def status(self, name: bytes) -> os.stat_result | None:
        """The status of the visible entry of this name; None if there is none."""
        above = None if self.upper is None else status_of(self.upper, name)
        if above is not None:
            return None if self.hides(above) else above
        return None if self.lower is None else status_of(self.lower, name)

    def empty(self) -> bool:
        """Whether no entry is visible."""
        above = [] if self.upper is None else os.listdir(self.upper)
        below = [] if self.lower is None else os.listdir(self.lower)
        return all(self.status(os.fsencode(name)) is None for name in {*above, *below})


class Folder:
    """Reads and writes files below `root`, which may lie over `lower`, by repo-relative path."""

    def __init__(
        self, root: Path, owner: Owner | None = None, lower: Path | None = None, marks: Marks = KERNEL
    ) -> None:
        self.root = root
        self.owner = owner
        self.lower = lower
        self.marks = marks if lower else None

    def read(self, path: str) -> bytes | None:
        """The file's bytes; None where there is no regular file that can be reached without following a link.

        Raises UnsafePath for a hostile path, GitError for a file over MAX_FILE.
        """
        try:
            with self._place(checked(path), create=False) as (place, name):
                status = place.status(name)
                if status is None or not stat.S_ISREG(status.st_mode):
                    return None
                layer = place.upper if place.upper is not None and status_of(place.upper, name) else place.lower
                assert layer is not None
                return read_regular(layer, name)[0]
        except OSError as error:
            if error.errno in IN_THE_WAY:
                return None
            raise

    def write(self, path: str, data: bytes, executable: bool | None = None) -> None:
        """Writes the whole file atomically; `executable` None keeps its exec bit. Raises UnsafePath where a symlink or
        anything but a regular file is in the way."""
        try:
            with self._place(checked(path), create=True) as (place, name):
                old = place.status(name)
                if old is not None and not stat.S_ISREG(old.st_mode):
                    raise UnsafePath(f"{path} is not a regular file; only regular files can be written")
                if executable is None:
                    executable = bool(old and old.st_mode & 0o100)
                assert place.upper is not None
                partial = b".heal-" + secrets.token_hex(8).encode()
                create_regular(place.upper, partial, data, executable, self.owner)
                os.rename(partial, name, src_dir_fd=place.upper, dst_dir_fd=place.upper)
        except OSError as error:
            if error.errno not in IN_THE_WAY:
                raise
            raise UnsafePath(f"{path}: a file or a link is where a folder should be; nothing was written") from None

    def remove(self, path: str) -> None:
        """Deletes the file and the folders that become empty; does nothing where there is none. Raises UnsafePath where
        it is not a regular file."""
        raw = checked(path)
        try:
            with self._place(raw, create=False) as (place, name):
                old = place.status(name)
                if old is None or stat.S_ISDIR(old.st_mode):
                    return
                if not stat.S_ISREG(old.st_mode):
                    raise UnsafePath(f"{path} is not a regular file; only regular files can be deleted")
            with self._place(raw, create=True) as (place, name):
                _drop(place, name)
        except OSError as error:
            if error.errno in IN_THE_WAY:
                return
            raise
        self._prune(raw)

    def _prune(self, raw: bytes) -> None:
        while b"/" in raw:
            raw = raw.rpartition(b"/")[0]
            with self._place(raw + b"/x", create=False) as (inside, _):
                if not inside.empty():
                    return
            with self._place(raw, create=True) as (place, name):
                _drop(place, name)

    @contextmanager
    def _place(self, raw: bytes, create: bool) -> Iterator[tuple[_Place, bytes]]:
        """The folder that contains `raw`, and the last name. `create` makes missing parent folders in the upper layer.
        Raises OSError where a parent isn't a folder or (without `create`) doesn't exist."""
        *folders, name = raw.split(b"/")
        with ExitStack() as stack:
            lower = stack.enter_context(opened(self.lower)) if self.lower else None
            place = _Place(stack.enter_context(opened(self.root)), lower, self.marks)
            for folder in folders:
                place = self._step(stack, place, folder, create)
            yield place, name

    def _step(self, stack: ExitStack, at: _Place, name: bytes, create: bool) -> _Place:
        above = None if at.upper is None else status_of(at.upper, name)
        below = None if at.lower is None else status_of(at.lower, name)
        hidden = at.hides(above)
        if create and at.upper is not None and (above is None or hidden):
            if not hidden and below is not None and not stat.S_ISDIR(below.st_mode):
                raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            _make_folder(at.upper, name, self.marks if hidden else None, self.owner)
            above = status_of(at.upper, name)
        elif hidden or (above is None and below is None):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        upper = None if above is None or at.upper is None else stack.enter_context(opened(name, at.upper))
        if at.lower is None or at.marks is None or below is None or (upper is not None and at.marks.is_opaque(upper)):
            return _Place(upper, None, at.marks)
        if upper is not None and not stat.S_ISDIR(below.st_mode):
            return _Place(upper, None, at.marks)
        return _Place(upper, stack.enter_context(opened(name, at.lower)), at.marks)


def _make_folder(upper: int, name: bytes, hidden: Marks | None, owner: Owner | None) -> None:
    """Makes a folder in the upper layer. Where it replaces a whiteout (`hidden`) it is made opaque, so that it hides
    the lower layer's, as the kernel does."""
    if hidden:
        os.unlink(name, dir_fd=upper)
    create_folder(upper, name, owner)
    if hidden:
        with opened(name, upper) as fd:
            hidden.make_opaque(fd)


def _drop(place: _Place, name: bytes) -> None:
    """Removes a file or an empty folder, with a whiteout where the lower layer has one."""
    assert place.upper is not None
    above = status_of(place.upper, name)
    if above is not None and stat.S_ISDIR(above.st_mode):
        with opened(name, place.upper) as fd:
            for whiteout in os.listdir(fd):
                os.unlink(whiteout, dir_fd=fd)
        os.rmdir(name, dir_fd=place.upper)
    elif above is not None:
        os.unlink(name, dir_fd=place.upper)
    if place.marks is not None and place.lower is not None and status_of(place.lower, name) is not None:
        place.marks.make_whiteout(place.upper, name)
