"""What was written over a folder: set aside, to be laid over others like it where no overlay can do that.

Nobody writes to either meanwhile. Links are never followed.
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
    """Something was removed, or made into another kind of thing: what is left tells nothing of that."""


def set_aside(root: Path, base: Path, to: Path, owner: Owner | None) -> None:
    """Moves what `root`, once a copy of `base`, has beyond it or otherwise to the new folder `to`, but nothing of its
    `.git`, which is another in each worktree. Raises NotLayable, OSError."""
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
            with suppress(OSError):  # not empty: it is needed
                os.rmdir(name, dir_fd=aside)
        elif old is None or not _same(now, then, name, status, old):
            os.rename(name, name, src_dir_fd=now, dst_dir_fd=aside)


def _same(now: int, then: int, name: bytes, status: os.stat_result, old: os.stat_result) -> bool:
    """A copy has its original's size, time and exec bit."""
    if stat.S_ISLNK(status.st_mode):
        return os.readlink(name, dir_fd=now) == os.readlink(name, dir_fd=then)
    marks = [(one.st_size, one.st_mtime_ns, one.st_mode & 0o100) for one in (status, old)]
    return marks[0] == marks[1]


def lay_over(source: Path, target: Path, base: Path | None, owner: Owner | None) -> None:
    """Copies all of `source` into `target`, as if it lay between that and `base`: what `target` has otherwise than its
    base stays as it is, and what it has no longer stays away. Raises OSError."""
    with ExitStack() as held:
        below = held.enter_context(opened(base)) if base else None
        src, dst = held.enter_context(opened(source)), held.enter_context(opened(target))
        _lay_over(src, dst, below, owner, 0)


def _lay_over(src: int, dst: int, base: int | None, owner: Owner | None, depth: int) -> None:
    with os.scandir(src) as found:
        entries = [(os.fsencode(entry.name), entry.stat(follow_symlinks=False)) for entry in found]
    for name, status in entries:
        there, old = status_of(dst, name), status_of(base, name) if base is not None else None
        folders = [one is not None and stat.S_ISDIR(one.st_mode) for one in (status, there, old)]
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
                inner = [held.enter_context(opened(name, one)) for one in (src, dst)]
                _lay_over(inner[0], inner[1], its_base, owner, depth + 1)


def _untouched(
    dst: int, base: int | None, name: bytes, there: os.stat_result | None, old: os.stat_result | None
) -> bool:
    """Whether an entry is what it is in the base."""
    if there is None or old is None or base is None:
        return there is old
    return stat.S_IFMT(there.st_mode) == stat.S_IFMT(old.st_mode) and _same(dst, base, name, there, old)
