"""The runs' base checkouts: made once, used by many worktrees at once, cleaned by age and size."""

import json
import os
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from healing.gitio import Git, Skipped
from healing.gitio.disk import size_of
from healing.gitio.locks import acquire, locked, release
from healing.sandbox.removal import remove_tree
from healing.worktrees.naming import lock_of, passage, safe
from healing.worktrees.room import check_room, disk_full
from healing.worktrees.session import Session


@dataclass(frozen=True)
class Base:
    """A base that is there. `objects` is None where git can't work in it; `needs` are the bytes of a copy."""

    folder: Path
    tree: str
    needs: int
    skipped: tuple[Skipped, ...]

    @property
    def files(self) -> Path:
        return self.folder / "files"

    @property
    def objects(self) -> Path | None:
        """What its `.git` reads through; None where there is no `.git`."""
        return self.folder / "objects" if (self.files / ".git").is_dir() else None


class Bases:
    """All bases of one data folder."""

    def __init__(self, data: Path, session: Session, min_free: int) -> None:
        self.data = data
        self.session = session
        self.min_free = min_free

    def make(self, run_id: str, git: Git, tree: str) -> Path:
        """The files of the run's base, made where it isn't there. Raises DiskFull, GitError."""
        folder = self._folder(run_id, git.tree_of(tree))
        with ExitStack() as held:
            if self.hold(folder, held) is not None:  # so that worktrees which use it need not end first
                return folder / "files"
        with locked(lock_of(folder)):
            if not (folder / "used").exists():
                check_room(self.data, 0, self.min_free)
                self._make(folder, git, git.tree_of(tree))
            os.utime(folder / "used")
        return folder / "files"

    def _make(self, folder: Path, git: Git, tree: str) -> None:
        """Out of sight first: what has its name is whole."""
        owner = self.session.owner
        partial = self.session.place("base")
        try:
            passage(partial, owner)
            with disk_full():
                skipped = git.checkout(tree, partial / "files", owner)
                said = {
                    "tree": tree,
                    "needs": size_of(partial / "files"),
                    "skipped": [(s.path, s.why) for s in skipped],
                }
                if git.share(tree, partial / "objects"):
                    git.add_git(tree, partial / "files", folder / "objects", owner)
                (partial / "base.json").write_text(json.dumps(said))
                (partial / "used").touch()
            partial.rename(folder)
        finally:
            remove_tree(partial)

    def nearest(self, run_id: str, tree: str, held: ExitStack) -> Base | None:
        """The run's base of this tree, else the one of the run that was used last. It stays until `held` ends."""
        exact = self._folder(run_id, tree)
        others = [path for path in (self.data / "bases").glob(f"{safe(run_id)}-*") if path.is_dir() and path != exact]
        for folder in (exact, *sorted(others, key=_last_used, reverse=True)):
            if base := self.hold(folder, held):
                return base
        return None

    def hold(self, folder: Path, held: ExitStack) -> Base | None:
        """The base, if it is there; it stays until `held` ends."""
        if not folder.is_dir():
            return None
        lock = acquire(lock_of(folder), shared=True)
        assert lock is not None
        if not (folder / "used").exists():  # it was cleaned just now
            release(lock)
            return None
        held.callback(release, lock)
        os.utime(folder / "used")
        said = json.loads((folder / "base.json").read_text())
        return Base(folder, said["tree"], said["needs"], tuple(Skipped(*one) for one in said["skipped"]))

    def clean(self, max_age: timedelta, max_bytes: int, now: datetime) -> tuple[str, ...]:
        """Removes bases not used for `max_age`, then the longest unused until the rest is within `max_bytes`. Those in
        use stay. Gives the names of what it removed."""
        bases = [path for path in (self.data / "bases").iterdir() if path.is_dir()]
        used = {path: _last_used(path) for path in bases}
        sizes = {path: size_of(path) for path in bases}
        total = sum(sizes.values())
        removed: list[str] = []
        for path in sorted(bases, key=lambda path: used[path]):
            old = now.timestamp() - used[path] > max_age.total_seconds()
            if (old or total > max_bytes) and self._remove(path):
                total -= sizes[path]
                removed.append(path.name)
        return tuple(removed)

    def _remove(self, path: Path) -> bool:
        lock = acquire(lock_of(path), wait=False)
        if lock is None:
            return False
        grave = self.session.place("cleaned")
        path.rename(grave)  # first out of sight, whole
        remove_tree(grave)
        release(lock, remove=lock_of(path))
        return True

    def _folder(self, run_id: str, tree: str) -> Path:
        return self.data / "bases" / f"{safe(run_id)}-{tree[:16]}"


def _last_used(base: Path) -> float:
    try:
        return (base / "used").stat().st_mtime
    except FileNotFoundError:
        return 0.0
