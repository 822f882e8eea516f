"""The bare repositories of one worker: one for each repository on GitHub, filled by fetching, made again at need."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from healing.git import Git


class Stores:
    """All below one folder. Thread-safe. Whoever works with one says so by `in_use`: only then may it be opened, and
    until then it isn't removed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[int, Git] = {}
        self._users: Counter[int] = Counter()
        self._lock = threading.Lock()

    def open(self, repo_id: int) -> "Git":
        """The repository's, made where it isn't there."""
        from healing.git import Git

        with self._lock:
            if repo_id not in self._open:
                self._open[repo_id] = Git.open(self._path(repo_id))
            return self._open[repo_id]

    @contextmanager
    def in_use(self, repo_id: int) -> Iterator[None]:
        """Nobody removes it meanwhile; afterwards its files are closed, unless somebody else is at it."""
        with self._lock:
            self._users[repo_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._users[repo_id] -= 1
                if not self._users[repo_id]:
                    del self._users[repo_id]
                    self._close(repo_id)

    def ids(self) -> frozenset[int]:
        """Of the repositories that have one on this disk."""
        return frozenset(int(path.stem) for path in self._folder.glob("*.git") if path.stem.isdecimal())

    def made_before(self, time: float) -> frozenset[int]:
        """Those that were made before that time (Unix, seconds)."""
        return frozenset(one for one in self.ids() if _made_at(self._path(one)) < time)

    def remove(self, repo_ids: frozenset[int]) -> tuple[int, ...]:
        """Deletes these, but for those in use: they wait for the next time. Gives those that are gone."""
        return tuple(one for one in sorted(repo_ids) if self._remove(one))

    def close(self) -> None:
        """Closes all files."""
        with self._lock:
            for repo_id in list(self._open):
                self._close(repo_id)

    def _remove(self, repo_id: int) -> bool:
        from healing.files.removal import remove_tree

        path = self._path(repo_id)
        grave = path.with_suffix(".gone")
        with self._lock:
            if self._users[repo_id] or not path.exists():
                return False
            self._close(repo_id)
            remove_tree(grave)  # of a removal that was broken off
            path.rename(grave)  # first out of sight, whole
        remove_tree(grave)
        return True

    def _close(self, repo_id: int) -> None:
        if git := self._open.pop(repo_id, None):
            git.close()

    def _path(self, repo_id: int) -> Path:
        return self._folder / f"{repo_id}.git"


def _made_at(store: Path) -> float:
    """By the file that is written once, when it is made."""
    try:
        return (store / "HEAD").stat().st_mtime
    except FileNotFoundError:
        return float("inf")  # it is just being made
