"""Worktrees layered over a user's own clone, so that files that git ignores there (virtual environments,
`node_modules`, build products) are visible in them.

Build tools and Python's bytecode cache decide by mtimes whether a result is fresh. So a file that is the same as in the
clone gets its mtime there, and one that Heal changed is newer than anything built from the clone's file: otherwise a
broken file would count as built already, and its check would pass.
"""

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from healing.environment.secrets import is_secret_file
from healing.files.overlay import KERNEL
from healing.git.ignore import REMEMBERED

MAX_FOLDERS = 20_000  # folders of a clone that are searched for files with credentials, not counting PASSED_OVER
PASSED_OVER = frozenset((".git", "node_modules", ".venv", "venv", "target", "vendor", "__pycache__", ".tox", ".nox"))
CHUNK = 1 << 20


@dataclass(frozen=True)
class Clone:
    """A user's own clone. `closed` returns whether the file at a path in it must be hidden from every command."""

    root: Path
    closed: Callable[[str], bool]


def hide(clone: Clone, mask: Path) -> None:
    """Makes `mask` a layer that hides the clone's own `.git`, its files with credentials, its closed files, and what
    would keep a tool from repeating its warnings. Those that a worktree's own tree has lie above the mask and stay
    visible."""
    _whiteout(mask / ".git")
    for path in _hidden(clone):
        place = mask / path
        place.parent.mkdir(parents=True, exist_ok=True)
        _whiteout(place)


def _whiteout(place: Path) -> None:
    folder = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        KERNEL.make_whiteout(folder, os.fsencode(place.name))
    finally:
        os.close(folder)


def _hidden(clone: Clone) -> Iterator[Path]:
    for count, (root, folders, files) in enumerate(os.walk(clone.root)):
        here = Path(root).relative_to(clone.root)
        closed = [name for name in folders if clone.closed(str(here / name))]
        yield from (here / name for name in closed)
        for name in files:
            if is_secret_file(name) or name == REMEMBERED or clone.closed(str(here / name)):
                yield here / name
        passed_over = PASSED_OVER if count < MAX_FOLDERS else folders
        folders[:] = [name for name in folders if name not in passed_over and name not in closed]


def date_like(files: Path, clone: Path) -> None:
    """Gives each file below `files` the mtime that it has in the clone if its content is the same there, else a newer
    one. Files of another size are left as they are."""
    for root, folders, names in os.walk(files):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            ours = Path(root, name)
            theirs = clone / ours.relative_to(files)
            try:
                our_status, their_status = ours.lstat(), theirs.lstat()
            except OSError:
                continue
            regular = stat.S_ISREG(our_status.st_mode) and stat.S_ISREG(their_status.st_mode)
            if (
                not regular
                or our_status.st_size != their_status.st_size
                or our_status.st_mtime_ns == their_status.st_mtime_ns
            ):
                continue
            if _same(ours, theirs):
                os.utime(ours, ns=(their_status.st_atime_ns, their_status.st_mtime_ns))
            else:
                _newer(ours, their_status)


def date_after(root: Path, clone: Path, paths: Iterable[str]) -> None:
    """Makes the files newer than those of the clone, by whole seconds: some caches have no finer resolution."""
    for path in paths:
        try:
            _newer(root / path, (clone / path).lstat())
        except OSError:
            continue


def _newer(file: Path, other: os.stat_result) -> None:
    second = max(int(time.time()), int(other.st_mtime) + 1)
    os.utime(file, (second + 1, second + 1), follow_symlinks=False)


def _same(one: Path, other: Path) -> bool:
    try:
        with one.open("rb") as left, other.open("rb") as right:
            while True:
                chunk = left.read(CHUNK)
                if chunk != right.read(CHUNK):
                    return False
                if not chunk:
                    return True
    except OSError:
        return False
