"""The folder with the worktrees of this process, and the sweep of those that dead processes left."""

import os
import secrets
import threading
from pathlib import Path

from healing.files.removal import remove_tree
from healing.git.locks import acquire, release
from healing.process.owner import Owner
from healing.worktrees.naming import lock_of, make_passage_folder


class ProcessFolder:
    """One process's own folder in `trees`, locked while the process lives. Thread-safe."""

    def __init__(self, trees: Path, owner: Owner | None) -> None:
        self.trees = trees
        self.owner = owner
        self._folder: Path | None = None
        self._lock: int | None = None
        self._once = threading.Lock()

    def folder(self) -> Path:
        """The folder, created and locked on first use."""
        with self._once:
            if self._folder is None:
                folder = self.trees / f"{os.getpid()}-{secrets.token_hex(4)}"
                self._lock = acquire(lock_of(folder))
                make_passage_folder(folder, self.owner)
                self._folder = folder
            return self._folder

    def place(self, name: str) -> Path:
        """A unique path in the folder."""
        return self.folder() / f"{name}-{secrets.token_hex(4)}"

    def close(self) -> None:
        """Removes the folder with its contents, and releases its lock."""
        with self._once:
            if self._folder is not None and self._lock is not None:
                remove_tree(self._folder)
                release(self._lock, remove=lock_of(self._folder))
                self._folder = self._lock = None

    def sweep(self) -> tuple[str, ...]:
        """Removes the folders of dead processes; returns their names."""
        swept: list[str] = []
        for folder in sorted({path.with_suffix("") for path in self.trees.iterdir()}):
            lock = acquire(lock_of(folder), wait=False)
            if lock is None:
                continue
            if folder.exists():
                swept.append(folder.name)
            remove_tree(folder)
            release(lock, remove=lock_of(folder))
        return tuple(swept)
