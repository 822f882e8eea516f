"""The bare git repositories of one worker: one per GitHub repository, filled by fetching, recreated when needed."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from healing.git import Git


class Stores:
    """All bare repositories, below one folder. Thread-safe. One may be opened only inside `in_use`, which also keeps it
    from being removed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[int, Git] = {}
        self._users: Counter[int] = Counter()
        self._lock = threading.Lock()

    def open(self, repo_id: int) -> "Git":
        """Opens the bare repository, created if it doesn't exist."""
        from healing.git import Git

        with self._lock:
            if repo_id not in self._open:
                self._open[repo_id] = Git.open(self._path(repo_id))
            return self._open[repo_id]

    @contextmanager
    def in_use(self, repo_id: int) -> Iterator[None]:
        """Prevents its removal; afterwards its files are closed, unless it is still in use elsewhere."""
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
        """Returns the ids of repositories that have a bare repository on this disk."""
        return frozenset(int(path.stem) for path in self._folder.glob("*.git") if path.stem.isdecimal())

    def made_before(self, time: float) -> frozenset[int]:
        """Returns the ids of bare repositories created before that time (Unix, seconds)."""
        return frozenset(repo_id for repo_id in self.ids() if _made_at(self._path(repo_id)) < time)

    def remove(self, repo_ids: frozenset[int]) -> tuple[int, ...]:
        """Deletes these bare repositories except those in use. Returns the deleted ones."""
        return tuple(repo_id for repo_id in sorted(repo_ids) if self._remove(repo_id))

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
            remove_tree(grave)  # left by an interrupted removal
            path.rename(grave)  # atomic, so that no half-deleted repository is ever opened
        remove_tree(grave)
        return True

    def _close(self, repo_id: int) -> None:
        if git := self._open.pop(repo_id, None):
            git.close()

    def _path(self, repo_id: int) -> Path:
        return self._folder / f"{repo_id}.git"


def _made_at(store: Path) -> float:
    """Returns when the repository was created: the time of the file that is written only then."""
    try:
        return (store / "HEAD").stat().st_mtime
    except FileNotFoundError:
        return float("inf")  # it is being created
