"""A git tree as the engine sees it: regular files with safe names; implements healing.view.TreeView."""

import os
from functools import cached_property

from healing.edits.merge import TreeEntry
from healing.git.errors import Skipped
from healing.git.objects import Objects
from healing.git.trees import walk


class GitView:
    """The regular files of one tree. Reads lazily; thread-safe. `rejected` lists the entries it leaves out."""

    def __init__(self, objects: Objects, tree: str) -> None:
        self._objects = objects
        self._tree = tree

    @property
    def tree(self) -> str:
        return self._tree

    @cached_property
    def _listing(self) -> tuple[dict[str, TreeEntry], tuple[Skipped, ...]]:
        refused: list[tuple[bytes, str]] = []
        files: dict[str, TreeEntry] = {}
        for path, entry in walk(self._objects, self._tree, refused):
            try:
                name = path.decode()
            except UnicodeDecodeError:
                refused.append((path, "has a name that is not UTF-8"))
                continue
            if entry.regular:
                files[name] = entry
        ordered = {name: files[name] for name in sorted(files)}
        return ordered, tuple(Skipped(os.fsdecode(path), why) for path, why in sorted(refused))

    @property
    def rejected(self) -> tuple[Skipped, ...]:
        """Entries that are left out because of their names, with the reason."""
        return self._listing[1]

    def paths(self) -> tuple[str, ...]:
        return tuple(self._listing[0])

    def read(self, path: str) -> bytes | None:
        entry = self._listing[0].get(path)
        return None if entry is None else self._objects.blob(entry.sha)

    def mode(self, path: str) -> str | None:
        entry = self._listing[0].get(path)
        return None if entry is None else "100755" if entry.mode & 0o100 else "100644"

    def blob(self, path: str) -> str | None:
        entry = self._listing[0].get(path)
        return None if entry is None else entry.sha
