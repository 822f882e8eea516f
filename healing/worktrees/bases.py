"""The runs' base checkouts: made once, used by many worktrees at once, cleaned by age and size.

Files that an earlier base of the same repository has too are hard links to it, provided that in both runs commands
could only write to their worktrees (`apart`): otherwise an untrusted change to one base would appear in the next.
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
from healing.worktrees.naming import lock_of, make_passage_folder, safe
from healing.worktrees.room import check_room, disk_full
from healing.worktrees.session import ProcessFolder

LOOKED_AT = 200  # most recently used bases that are searched for one of the same repository


@dataclass(frozen=True)
class Base:
    """A complete base on disk."""

    folder: Path
    tree: str
    skipped: tuple[Skipped, ...]

    @property
    def files(self) -> Path:
        return self.folder / "files"

    @property
    def objects(self) -> Path | None:
        """The folder that its `.git` reads objects from; None where it has no `.git`."""
        return self.folder / "objects" if (self.files / ".git").is_dir() else None


class Bases:
    """All bases of one data folder."""

    def __init__(self, data: Path, session: ProcessFolder, min_free: int) -> None:
        self.data = data
        self.session = session
        self.min_free = min_free

    def make(self, run_id: str, git: Git, tree: str, apart: bool = False) -> Path:
        """The files of the run's base, created if it doesn't exist. Raises DiskFull, GitError."""
        folder = self._folder(run_id, git.tree_of(tree))
        with ExitStack() as held:
            if self.hold(folder, held) is not None:  # the exclusive lock below would wait for worktrees that use it
                return folder / "files"
        with locked(lock_of(folder)):
            if not (folder / "used").exists():
                check_room(self.data, 0, self.min_free)
                self._make(folder, git, git.tree_of(tree), apart)
            os.utime(folder / "used")
        return folder / "files"

    def _make(self, folder: Path, git: Git, tree: str, apart: bool) -> None:
        """Builds the base in the process's own folder and renames it, so that `folder` is always complete."""
        owner = self.session.owner
        partial = self.session.place("base")
        try:
            make_passage_folder(partial, owner)
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
        """The most recently used base of the same repository that no command could change; it isn't removed until
        `held` is closed. One whose tree the repository no longer has is passed over: a clone may have been deleted, and
        made again in the same place."""
        store = str(git.path.resolve())
        for folder in islice(self._by_use(), LOOKED_AT):
            manifest = _manifest(folder)
            if manifest.get("store") == store and git.has(manifest["tree"]) and (base := self.hold(folder, held)):
                return Twin(base.files, base.tree)
        return None

    def _by_use(self, pattern: str = "*") -> list[Path]:
        """The bases whose name matches, most recently used first."""
        folders = [path for path in (self.data / "bases").glob(pattern) if path.is_dir()]
        return sorted(folders, key=_last_used, reverse=True)

    def nearest(self, run_id: str, tree: str, held: ExitStack) -> Base | None:
        """The run's base of this tree, else its most recently used one. It isn't removed until `held` is closed."""
        exact = self._folder(run_id, tree)
        for folder in (exact, *(other for other in self._by_use(f"{safe(run_id)}-*") if other != exact)):
            if base := self.hold(folder, held):
                return base
        return None

    def hold(self, folder: Path, held: ExitStack) -> Base | None:
        """The base, which isn't removed until `held` is closed; None if there is none."""
        if not folder.is_dir():
            return None
        lock = acquire(lock_of(folder), shared=True)
        assert lock is not None
        if not (folder / "used").exists():  # removed in between
            release(lock)
            return None
        held.callback(release, lock)
        os.utime(folder / "used")
        manifest = _manifest(folder)
        return Base(folder, manifest["tree"], tuple(Skipped(*fields) for fields in manifest["skipped"]))

    def clean(self, max_age: timedelta, max_bytes: int, now: datetime) -> tuple[str, ...]:
        """Removes bases not used for `max_age`, then the least recently used until the rest is within `max_bytes`.
        Those in use are kept. Returns the names of the removed ones."""
        bases = self._by_use()[::-1]
        total = sum(_size_of(path) for path in bases)
        removed: list[str] = []
        for path in bases:
            old = now.timestamp() - _last_used(path) > max_age.total_seconds()
            if old or total > max_bytes:
                frees = size_of(path, alone)  # files shared with others stay
                if self._remove(path):
                    total -= frees
                    removed.append(path.name)
        return tuple(removed)

    def _remove(self, path: Path) -> bool:
        lock = acquire(lock_of(path), wait=False)
        if lock is None:
            return False
        trash = self.session.place("cleaned")
        path.rename(trash)  # in one step: a partly removed base is never seen
        remove_tree(trash)
        release(lock, remove=lock_of(path))
        return True

    def _folder(self, run_id: str, tree: str) -> Path:
        return self.data / "bases" / f"{safe(run_id)}-{tree[:16]}"


def _manifest(base: Path) -> dict[str, Any]:
    """The base's manifest; empty if it is missing."""
    try:
        manifest: dict[str, Any] = json.loads((base / "base.json").read_text())
    except FileNotFoundError:
        return {}
    return manifest


def _size_of(base: Path) -> int:
    """The base's bytes on disk: files shared with other bases count in part, objects shared with the store not at
    all."""
    return size_of(base / "files") + size_of(base / "objects", alone)


def _last_used(base: Path) -> float:
    try:
        return (base / "used").stat().st_mtime
    except FileNotFoundError:
        return 0.0
