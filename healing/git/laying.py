"""Sets aside what was written into a copy of a folder, and lays it over other copies, where no overlay can be used.

Neither folder may be written to meanwhile. Links are never followed.
"""

import os
import stat
from contextlib import ExitStack, suppress
from pathlib import Path

from healing.git.disk import copy_into
from healing.git.folder import create_folder, opened, status_of
from healing.git.names import MAX_DEPTH
from healing.process.owner import Owner


class NotLayable(Exception):
    """Something was removed or replaced by another file type, which the files set aside can't express."""


def move_changed_entries(root: Path, base: Path, to: Path, owner: Owner | None) -> None:
    """Moves the entries of `root`, once a copy of `base`, that are new or changed to the new folder `to`.

    `.git` is left where it is: each worktree has its own. Raises NotLayable, OSError.
    """
    create_folder(None, to, owner)
    with opened(root) as now, opened(base) as then, opened(to) as aside:
        _set_aside(now, then, aside, owner, 0)


def _set_aside(now: int, then: int, aside: int, owner: Owner | None, depth: int) -> None:
    names = [os.fsencode(name) for name in os.listdir(now) if depth or name != ".git"]
    if depth > MAX_DEPTH or {os.fsencode(name) for name in os.listdir(then)} - {*names, b".git"}:
        raise NotLayable
    for name in names:
        status, old = os.stat(name, dir_fd=now, follow_symlinks=False), status_of(then, name)
        if old is not None and stat.S_IFMT(old.st_mode) != stat.S_IFMT(status.st_mode):
            raise NotLayable
        if old is not None and stat.S_ISDIR(status.st_mode):
            create_folder(aside, name, owner)
            with opened(name, now) as below, opened(name, then) as its_base, opened(name, aside) as place:
                _set_aside(below, its_base, place, owner, depth + 1)
            with suppress(OSError):  # not empty, so it is needed
                os.rmdir(name, dir_fd=aside)
        elif old is None or not _same(now, then, name, status, old):
            os.rename(name, name, src_dir_fd=now, dst_dir_fd=aside)


def _same(now: int, then: int, name: bytes, status: os.stat_result, old: os.stat_result) -> bool:
    """Whether an entry is unchanged: a copy has its original's size, mtime and exec bit; a link the same target."""
    if stat.S_ISLNK(status.st_mode):
        return os.readlink(name, dir_fd=now) == os.readlink(name, dir_fd=then)
    stamps = [(each.st_size, each.st_mtime_ns, each.st_mode & 0o100) for each in (status, old)]
    return stamps[0] == stamps[1]


def lay_over(source: Path, target: Path, base: Path | None, owner: Owner | None) -> None:
    """Copies all of `source` into `target`, as if it were a layer between `target` and its `base`.

    Entries that `target` changed stay as they are, and those it removed stay removed. Raises OSError.
    """
    with ExitStack() as held:
        below = held.enter_context(opened(base)) if base else None
        src, dst = held.enter_context(opened(source)), held.enter_context(opened(target))
        _lay_over(src, dst, below, owner, 0)


def _lay_over(src: int, dst: int, base: int | None, owner: Owner | None, depth: int) -> None:
    with os.scandir(src) as scan:
        entries = [(os.fsencode(entry.name), entry.stat(follow_symlinks=False)) for entry in scan]
    for name, status in entries:
        there, old = status_of(dst, name), status_of(base, name) if base is not None else None
        folders = [each is not None and stat.S_ISDIR(each.st_mode) for each in (status, there, old)]
        if not (folders[0] and folders[1]):
            if not _untouched(dst, base, name, there, old):
                continue
            if there is not None:
                os.unlink(name, dir_fd=dst)
            if not copy_into(src, dst, name, status, owner):
                continue
        if folders[0] and depth < MAX_DEPTH:
            with ExitStack() as held:
                its_base = held.enter_context(opened(name, base)) if base is not None and folders[2] else None
                inner = [held.enter_context(opened(name, fd)) for fd in (src, dst)]
                _lay_over(inner[0], inner[1], its_base, owner, depth + 1)


def _untouched(
    dst: int, base: int | None, name: bytes, there: os.stat_result | None, old: os.stat_result | None
) -> bool:
    """Whether an entry is the same as in the base."""
    if there is None or old is None or base is None:
        return there is old
    return stat.S_IFMT(there.st_mode) == stat.S_IFMT(old.st_mode) and _same(dst, base, name, there, old)
