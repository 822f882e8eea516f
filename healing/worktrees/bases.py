"""The runs' base checkouts: made once, used by many worktrees at once, cleaned by age and size.

Files that an earlier base of the same repository has too are the same on disk, as long as what commands write stayed in
their worktrees in both runs (`apart`): a stranger's change to one base would be in the next one.
"""

import json
import os
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from healing.files.removal import remove_tree
from healing.git import Git, Skipped, Twin
from healing.git.disk import alone, size_of
from healing.git.locks import acquire, locked, release
from healing.worktrees.naming import lock_of, passage, safe
from healing.worktrees.room import check_room, disk_full
from healing.worktrees.session import ProcessFolder

LOOKED_AT = 200  # bases among which one of the same repository is looked for


@dataclass(frozen=True)
class Base:
    """A base that is there."""

    folder: Path
    tree: str
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

    def __init__(self, data: Path, session: ProcessFolder, min_free: int) -> None:
        self.data = data
        self.session = session
        self.min_free = min_free

    def make(self, run_id: str, git: Git, tree: str, apart: bool = False) -> Path:
        """The files of the run's base, made where it isn't there. Raises DiskFull, GitError."""
        folder = self._folder(run_id, git.tree_of(tree))
        with ExitStack() as held:
            if self.hold(folder, held) is not None:  # so that worktrees which use it need not end first
                return folder / "files"
        with locked(lock_of(folder)):
            if not (folder / "used").exists():
                check_room(self.data, 0, self.min_free)
                self._make(folder, git, git.tree_of(tree), apart)
            os.utime(folder / "used")
        return folder / "files"

    def _make(self, folder: Path, git: Git, tree: str, apart: bool) -> None:
        """Out of sight first: what has its name is whole."""
        owner = self.session.owner
        partial = self.session.place("base")
        try:
            passage(partial, owner)
            with disk_full(), ExitStack() as held:
                twin = self._twin(git, held) if apart else None
                skipped = git.checkout(tree, partial / "files", owner, twin)
                store = str(git.path.resolve()) if apart else ""
                manifest = {"tree": tree, "store": store, "skipped": [(s.path, s.why) for s in skipped]}
                if git.share(tree, partial / "objects"):
                    git.add_git(tree, partial / "files", folder / "objects", owner)
                (partial / "base.json").write_text(json.dumps(manifest))
                (partial / "used").touch()
            partial.rename(folder)
        finally:
            remove_tree(partial)

    def _twin(self, git: Git, held: ExitStack) -> Twin | None:
        """The base of the same repository that was used last, if no command could change it; it stays until `held`
        ends."""
        store = str(git.path.resolve())
        for folder in islice(self._by_use(), LOOKED_AT):
            if _manifest(folder).get("store") == store and (base := self.hold(folder, held)):
                return Twin(base.files, base.tree)
        return None

    def _by_use(self, pattern: str = "*") -> list[Path]:
        """The bases of this name, the last used first."""
        folders = [path for path in (self.data / "bases").glob(pattern) if path.is_dir()]
        return sorted(folders, key=_last_used, reverse=True)

    def nearest(self, run_id: str, tree: str, held: ExitStack) -> Base | None:
        """The run's base of this tree, else the one of the run that was used last. It stays until `held` ends."""
        exact = self._folder(run_id, tree)
        for folder in (exact, *(other for other in self._by_use(f"{safe(run_id)}-*") if other != exact)):
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
        manifest = _manifest(folder)
        return Base(folder, manifest["tree"], tuple(Skipped(*one) for one in manifest["skipped"]))

    def clean(self, max_age: timedelta, max_bytes: int, now: datetime) -> tuple[str, ...]:
        """Removes bases not used for `max_age`, then the longest unused until the rest is within `max_bytes`. Those in
        use stay. Gives the names of what it removed."""
        bases = self._by_use()[::-1]
        total = sum(_size_of(path) for path in bases)
        removed: list[str] = []
        for path in bases:
            old = now.timestamp() - _last_used(path) > max_age.total_seconds()
            if old or total > max_bytes:
                frees = size_of(path, alone)  # what it shares with others stays
                if self._remove(path):
                    total -= frees
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


def _manifest(base: Path) -> dict[str, Any]:
    """What was written down of a base; nothing where it is gone."""
    try:
        manifest: dict[str, Any] = json.loads((base / "base.json").read_text())
    except FileNotFoundError:
        return {}
    return manifest


def _size_of(base: Path) -> int:
    """Bytes; what it shares with other bases in part, what is the store's not at all."""
    return size_of(base / "files") + size_of(base / "objects", alone)


def _last_used(base: Path) -> float:
    try:
        return (base / "used").stat().st_mtime
    except FileNotFoundError:
        return 0.0
