"""Whole copies of a base that are used again, where no overlay can be mounted: what a command changed is undone.

What it changed is told by the kernel: an ordinary user can give a file back its length, mode and time of modification,
but never its number and its time of change (ctime). So each entry's marks are noted when a copy is made; afterwards
whatever has other marks is made anew from the base, and whatever has none is removed. A copy that can't be put right
by little work is thrown away. All of it for when every process that could write there is dead.

Not every disk is fit: tmpfs doesn't tell of bytes that were changed through a mapping. `tells_of_changes` finds out.
"""

import mmap
import os
import stat
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from healing.gitio.disk import copy_entry
from healing.gitio.folder import opened
from healing.gitio.names import MAX_DEPTH
from healing.sandbox.owner import Owner
from healing.sandbox.removal import remove_tree
from healing.worktrees.bases import Base
from healing.worktrees.session import Session

Mark = tuple[int, int, int, int]  # mode, inode, time of change in ns, size
MODE, INODE, CHANGED = 0, 1, 2
KIND, FOLDER = 0o170000, 0o040000  # as stat.S_ISDIR, without a call
Marks = dict[str, Mark]  # by path below the root; the root itself is ""
MOST = 2_000  # entries that are put right; more is dearer than a new copy
TICKS = 100  # looks, a millisecond apart, for the disk's clock to move on


class Spoiled(Exception):
    """A copy that is not worth mending, or can't be."""


@dataclass
class Copies:
    """The copies of one process that nobody uses just now, at most `kept`, and the marks of those in use."""

    session: Session
    owner: Owner | None
    kept: int = field(default_factory=lambda: os.cpu_count() or 2)
    _spare: list[tuple[Base, Path, Marks]] = field(default_factory=list)  # the last used last
    _used: dict[Path, tuple[Base, Marks]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _one: threading.Lock = field(default_factory=threading.Lock)  # two at a time would only wait for each other

    def take(self, base: Base, folder: Path) -> bool:
        """Puts a spare copy of the base at `folder/files`; False: there is none."""
        with self._lock:
            found = next((one for one in reversed(self._spare) if one[0].folder == base.folder), None)
            if found is None:
                return False
            self._spare.remove(found)
        try:
            _wait_for_a_tick(found[1], found[2])
        except (Spoiled, OSError):
            remove_tree(found[1])
            return False
        found[1].rename(folder)
        self._used[folder] = (base, found[2])
        return True

    def note(self, base: Base, folder: Path) -> None:
        """Takes down the marks of a copy that was made at `folder/files` just now."""
        marks = scan(folder / "files")
        try:
            _wait_for_a_tick(folder, marks)
        except Spoiled:
            return
        self._used[folder] = (base, marks)

    def give_back(self, folder: Path) -> None:
        """Puts a copy right and keeps it for the next one; leaves it where it is when that can't be done."""
        used = self._used.pop(folder, None)
        if used is None:
            return
        base, marks = used
        try:
            with self._one:
                marks = restored(folder / "files", base.files, marks, self.owner)
        except (Spoiled, OSError):
            return
        spare = self.session.place("spare")
        folder.rename(spare)
        with self._lock:
            self._spare.append((base, spare, marks))
            extra = [self._spare.pop(0) for _ in range(len(self._spare) - self.kept)]
        for _, path, _ in extra:
            remove_tree(path)

    def drop(self) -> None:
        """Removes all spare copies, for the room they take."""
        with self._lock:
            spare, self._spare = self._spare, []
        for _, path, _ in spare:
            remove_tree(path)


def scan(root: Path, most: int | None = None) -> Marks:
    """The marks of everything below the root. Raises Spoiled where there is more than `most` or it lies too deep."""
    marks: Marks = {}
    with opened(root) as fd:
        marks[""] = _mark(os.fstat(fd))
        _scan(fd, "", 0, marks, most)
    return marks


def _scan(fd: int, prefix: str, depth: int, marks: Marks, most: int | None) -> None:
    if depth > MAX_DEPTH or (most is not None and len(marks) > most):
        raise Spoiled("too much lies there")
    folders: list[str] = []
    with os.scandir(fd) as found:
        for entry in found:  # ten thousand times for each use of a copy: nothing is asked or called twice
            status = entry.stat(follow_symlinks=False)
            mode = status.st_mode
            marks[prefix + entry.name] = (mode, status.st_ino, status.st_ctime_ns, status.st_size)
            if mode & KIND == FOLDER:
                folders.append(entry.name)
    for name in folders:
        with opened(name, fd) as below:
            _scan(below, f"{prefix}{name}/", depth + 1, marks, most)


def _mark(status: os.stat_result) -> Mark:
    return (status.st_mode, status.st_ino, status.st_ctime_ns, status.st_size)


def restored(root: Path, base: Path, marks: Marks, owner: Owner | None) -> Marks:
    """Makes the copy what it was when its marks were taken, and gives its new marks. Raises Spoiled, OSError."""
    now = scan(root, len(marks) + MOST)
    changed = [path for path, mark in marks.items() if now.get(path) != mark]
    if not changed and len(now) == len(marks):
        return marks
    extra = sorted(now.keys() - marks.keys())
    lost = sorted(path for path in changed if not _same(root, path, now.get(path), marks[path]))
    if folders := tuple(path + "/" for path in lost if stat.S_ISDIR(marks[path][MODE])):
        lost = sorted({*lost, *(path for path in marks if path.startswith(folders))})
    if len(extra) + len(lost) > MOST or "" in lost:
        raise Spoiled("too much was changed")
    gone = {*extra, *lost}
    for path in gone & now.keys():  # not what lies below one of them: a link may be where its folder was
        if gone.isdisjoint(_above(path)):
            remove_tree(root / path)
    for path in lost:
        copy_entry(base, root, path, owner)
    fresh = {"", *lost, *(above for path in gone for above in _above(path))} & marks.keys()
    fresh.update(changed)
    return marks | {path: _mark((root / path).lstat()) for path in fresh}


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _same(root: Path, path: str, now: Mark | None, mark: Mark) -> bool:
    """Whether an entry is what it was. A folder is, whatever came and went in it, as long as it has no attributes
    (such as access rights for new files)."""
    if now == mark or now is None or not stat.S_ISDIR(mark[MODE]):
        return now == mark
    return now[:CHANGED] == mark[:CHANGED] and not os.listxattr(root / path, follow_symlinks=False)


def _wait_for_a_tick(folder: Path, marks: Marks) -> None:
    """Waits until a change would be later than all marks: clocks of disks move in steps of some milliseconds."""
    latest = max(mark[CHANGED] for mark in marks.values())
    for _ in range(TICKS):
        if _touched(folder) > latest:
            return
        time.sleep(0.001)
    raise Spoiled("the disk's clock stands still")


def _touched(folder: Path) -> int:
    stamp = folder / "stamp"
    stamp.touch(mode=0o600)
    return stamp.stat().st_ctime_ns


def tells_of_changes(folder: Path) -> bool:
    """Whether the disk notes the time of a change that is made through a mapping after a look at the same page."""
    trial = folder / f"trial-{threading.get_ident()}-{time.monotonic_ns()}"
    try:
        trial.write_bytes(bytes(mmap.PAGESIZE))
        before = trial.stat().st_ctime_ns
        while _touched(folder) <= before:
            time.sleep(0.001)
        with trial.open("r+b") as file, mmap.mmap(file.fileno(), mmap.PAGESIZE) as pages:
            pages[0] = pages[0] + 1
        return trial.stat().st_ctime_ns > before
    except OSError:
        return False
    finally:
        trial.unlink(missing_ok=True)
        (folder / "stamp").unlink(missing_ok=True)
