"""A read-only view of one git tree: what fixers, the import graph and the guard may see of a repository."""

import hashlib
from collections.abc import Mapping
from typing import Protocol


class TreeView(Protocol):
    """The files of one tree. Paths are repo-relative POSIX; symlinks and submodules are not listed."""

    @property
    def tree(self) -> str:
        """The tree's 40-digit hex id."""
        ...

    def paths(self) -> tuple[str, ...]:
        """Every regular file, sorted."""
        ...

    def read(self, path: str) -> bytes | None:
        """The file's bytes; None where there is no such regular file."""
        ...

    def mode(self, path: str) -> str | None:
        """`100644` or `100755`; None where there is no such regular file."""
        ...

    def blob(self, path: str) -> str | None:
        """The blob's 40-digit hex id: the key for anything computed from one file; None where there is none."""
        ...


class ChangedView:
    """A view of another view's files as if some of them had been changed."""

    def __init__(self, view: TreeView, changes: Mapping[str, bytes]) -> None:
        self.view = view
        self.changes = changes
        self.tree = view.tree

    def paths(self) -> tuple[str, ...]:
        return self.view.paths()

    def read(self, path: str) -> bytes | None:
        return self.changes[path] if path in self.changes else self.view.read(path)

    def mode(self, path: str) -> str | None:
        return self.view.mode(path)

    def blob(self, path: str) -> str | None:
        return blob_of(self.changes[path]) if path in self.changes else self.view.blob(path)


def blob_of(data: bytes) -> str:
    """Git's id of a file with these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class DictView:
    """A view of files in memory, for tests and for trees that were never written."""

    def __init__(self, files: dict[str, bytes], tree: str = "0" * 40) -> None:
        self.files = files
        self.tree = tree

    def paths(self) -> tuple[str, ...]:
        return tuple(sorted(self.files))

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def mode(self, path: str) -> str | None:
        return "100644" if path in self.files else None

    def blob(self, path: str) -> str | None:
        data = self.files.get(path)
        return None if data is None else blob_of(data)
