"""Reuses whole copies of a base, where no overlay can be mounted, by undoing what a command changed.

Changes are detected by file metadata (`listing`): each entry's mark is recorded when a copy is made; afterwards entries
with another mark are copied from the base again, and entries without one are removed. A copy that would take too much
work to restore is thrown away. Only for use when every process that could write to the copy is dead.

Not every file system is suitable: tmpfs doesn't update the ctime when bytes are changed through a memory mapping.
`detects_changes` tests that.
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
    NotRestorable,
    can_list,
    changed_at,
    is_folder,
    mark_of,
    same_but_time,
    scan,
)
from healing.worktrees.session import ProcessFolder

LIMIT = 2_000  # entries that are restored; beyond that a new copy is cheaper
TICKS = 100  # attempts, a millisecond apart, to see the file system's clock advance


@dataclass
class Copies:
    """One process's spare copies, at most `kept`, and the marks of the copies in use."""

    session: ProcessFolder
    owner: Owner | None
    kept: int = field(default_factory=lambda: os.cpu_count() or 2)
    _spare: list[tuple[Base, Path, Marks]] = field(default_factory=list)  # most recently used last
    _used: dict[Path, tuple[Base, Marks]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, base: Base, folder: Path) -> bool:
        """Moves a spare copy of the base to `folder/files`; returns False if there is none."""
        with self._lock:
            spare = next((copy for copy in reversed(self._spare) if copy[0].folder == base.folder), None)
            if spare is None:
                return False
            self._spare.remove(spare)
        try:
            _wait_for_a_tick(spare[1], spare[2])
        except (NotRestorable, OSError):
            remove_tree(spare[1])
            return False
        spare[1].rename(folder)
        self._used[folder] = (base, spare[2])
        return True

    def note(self, base: Base, folder: Path) -> None:
        """Records the marks of a copy that was just made at `folder/files`."""
        marks = scan(folder / "files")
        try:
            _wait_for_a_tick(folder, marks)
        except NotRestorable:
            return
        self._used[folder] = (base, marks)

    def give_back(self, folder: Path) -> None:
        """Restores a copy and keeps it as a spare; leaves it where it is if that fails."""
        used = self._used.pop(folder, None)
        if used is None:
            return
        base, marks = used
        try:
            marks = restored(folder / "files", base.files, marks, self.owner)
        except (NotRestorable, OSError):
            return
        spare = self.session.place("spare")
        folder.rename(spare)
        with self._lock:
            self._spare.append((base, spare, marks))
            extra = [self._spare.pop(0) for _ in range(len(self._spare) - self.kept)]
        for _, path, _ in extra:
            remove_tree(path)

    def drop(self) -> None:
        """Removes all spare copies, to free disk space."""
        with self._lock:
            spare, self._spare = self._spare, []
        for _, path, _ in spare:
            remove_tree(path)


def restored(root: Path, base: Path, marks: Marks, owner: Owner | None) -> Marks:
    """Restores the copy to the state in which its marks were taken; returns its new marks. Raises NotRestorable,
    OSError."""
    now = scan(root, len(marks) + LIMIT)
    if now == marks:
        return marks
    changed = [path for path, mark in marks.items() if now.get(path) != mark]
    extra = sorted(now.keys() - marks.keys())
    lost = sorted(path for path in changed if not _same(root, path, now.get(path), marks[path]))
    if folders := tuple(path + b"/" for path in lost if is_folder(marks[path])):
        lost = sorted({*lost, *(path for path in marks if path.startswith(folders))})
    if len(extra) + len(lost) > LIMIT or b"" in lost:
        raise NotRestorable("too much was changed")
    stale = {*extra, *lost}
    for path in stale & now.keys():  # but not entries below another one: a link may be where its folder was
        if stale.isdisjoint(_above(path)):
            remove_tree(_at(root, path))
    for path in lost:
        copy_entry(base, root, os.fsdecode(path), owner)
    fresh = {b"", *lost, *(above for path in stale for above in _above(path))} & marks.keys()
    fresh.update(changed)
    return marks | {path: mark_of(_at(root, path)) for path in fresh}


def _at(root: Path, path: bytes) -> Path:
    return root / os.fsdecode(path)


def _above(path: bytes) -> list[bytes]:
    parts = path.split(b"/")
    return [b"/".join(parts[:end]) for end in range(1, len(parts))]


def _same(root: Path, path: bytes, now: Mark | None, mark: Mark) -> bool:
    """Whether an entry is unchanged. A folder is, whatever was added and removed in it, as long as it has no extended
    attributes (such as default ACLs)."""
    if now == mark or now is None or not is_folder(mark):
        return now == mark
    return same_but_time(now, mark) and not os.listxattr(_at(root, path), follow_symlinks=False)


def _wait_for_a_tick(folder: Path, marks: Marks) -> None:
    """Waits until a change would get a later ctime than all marks; file systems' clocks advance in steps of some
    milliseconds. Raises NotRestorable if it doesn't advance."""
    latest = changed_at(max(marks.values()))
    for _ in range(TICKS):
        if _touched(folder) > latest:
            return
        time.sleep(0.001)
    raise NotRestorable("the disk's clock stands still")


def _touched(folder: Path) -> int:
    stamp = folder / "stamp"
    stamp.touch(mode=0o600)
    return stamp.stat().st_ctime_ns


def detects_changes(folder: Path) -> bool:
    """Whether the file system updates the ctime for a change through a memory mapping after the page was read, and GNU
    find is there to list it."""
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
