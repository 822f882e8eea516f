"""Whole copies of a base that are used again, where no overlay can be mounted: what a command changed is undone.

What it changed is read from the kernel (`listing`): each entry's marks are noted when a copy is made; afterwards
whatever has other marks is made again from the base, and whatever has none is removed. A copy that can't be put right
by little work is thrown away. All of it for when every process that could write there is dead.

Not every disk is fit: tmpfs doesn't tell of bytes that were changed through a mapping. `tells_of_changes` finds out.
"""

import mmap
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from healing.files.removal import remove_tree
from healing.git.disk import copy_entry
from healing.process.owner import Owner
from healing.worktrees.bases import Base
from healing.worktrees.listing import (
    Mark,
    Marks,
    Spoiled,
    can_list,
    changed_at,
    is_folder,
    mark_of,
    same_but_time,
    scan,
)
from healing.worktrees.session import ProcessFolder

MOST = 2_000  # entries that are put right; more is dearer than a new copy
TICKS = 100  # looks, a millisecond apart, for the disk's clock to move on


@dataclass
class Copies:
    """The copies of one process that nobody uses just now, at most `kept`, and the marks of those in use."""

    session: ProcessFolder
    owner: Owner | None
    kept: int = field(default_factory=lambda: os.cpu_count() or 2)
    _spare: list[tuple[Base, Path, Marks]] = field(default_factory=list)  # the last used last
    _used: dict[Path, tuple[Base, Marks]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

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


def restored(root: Path, base: Path, marks: Marks, owner: Owner | None) -> Marks:
    """Makes the copy what it was when its marks were taken, and gives its new marks. Raises Spoiled, OSError."""
    now = scan(root, len(marks) + MOST)
    if now == marks:
        return marks
    changed = [path for path, mark in marks.items() if now.get(path) != mark]
    extra = sorted(now.keys() - marks.keys())
    lost = sorted(path for path in changed if not _same(root, path, now.get(path), marks[path]))
    if folders := tuple(path + b"/" for path in lost if is_folder(marks[path])):
        lost = sorted({*lost, *(path for path in marks if path.startswith(folders))})
    if len(extra) + len(lost) > MOST or b"" in lost:
        raise Spoiled("too much was changed")
    gone = {*extra, *lost}
    for path in gone & now.keys():  # not what lies below one of them: a link may be where its folder was
        if gone.isdisjoint(_above(path)):
            remove_tree(_at(root, path))
    for path in lost:
        copy_entry(base, root, os.fsdecode(path), owner)
    fresh = {b"", *lost, *(above for path in gone for above in _above(path))} & marks.keys()
    fresh.update(changed)
    return marks | {path: mark_of(_at(root, path)) for path in fresh}


def _at(root: Path, path: bytes) -> Path:
    return root / os.fsdecode(path)


def _above(path: bytes) -> list[bytes]:
    parts = path.split(b"/")
    return [b"/".join(parts[:end]) for end in range(1, len(parts))]


def _same(root: Path, path: bytes, now: Mark | None, mark: Mark) -> bool:
    """Whether an entry is what it was. A folder is, whatever came and went in it, as long as it has no attributes
    (such as access rights for new files)."""
    if now == mark or now is None or not is_folder(mark):
        return now == mark
    return same_but_time(now, mark) and not os.listxattr(_at(root, path), follow_symlinks=False)


def _wait_for_a_tick(folder: Path, marks: Marks) -> None:
    """Waits until a change would be later than all marks: clocks of disks move in steps of some milliseconds."""
    latest = changed_at(max(marks.values()))
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
    """Whether the disk notes the time of a change that is made through a mapping after a look at the same page, and
    there is something here that can list it."""
    if not can_list():
        return False
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
