"""Writes a tree to disk without executing anything from it: no hook, filter, smudge, end-of-line rule or attribute.

Deliberate differences from `git checkout`:
- LFS pointers stay pointers, line endings stay as they are stored: the files are the blobs byte for byte.
- A submodule becomes an empty folder; nothing is fetched.
- A symlink is only created if it stays inside the tree (names.safe_link); hostile names are not written at all.
- On a case-insensitive file system, the second of two names that differ only in case is not written.
Everything that is left out is reported. `snapshot` applies the same rules and doesn't take it for deleted.

With an older checkout of the same repository that isn't written to (`Twin`), files that are equal in both trees are
hard-linked: a commit changes few of thousands of files, and a link takes a tenth of the time.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from healing.edits.merge import TreeEntry
from healing.git.errors import Skipped
from healing.git.folder import create_folder, create_link, create_regular, opened
from healing.git.names import safe_link
from healing.git.objects import Objects
from healing.git.trees import refused, walk
from healing.process.owner import Owner

SUBMODULE = 0o160000


def left_out(objects: Objects, name: bytes, path: bytes, entry: TreeEntry) -> str | None:
    """Why a checkout doesn't write this entry; None if it does."""
    depth = path.count(b"/")
    if why := refused(name, path, depth):
        return why
    if entry.link and not safe_link(objects.blob(entry.sha), depth):
        return "is a symlink that leads out of the repository"
    known = entry.folder or entry.regular or entry.link or entry.mode == SUBMODULE
    return None if known else f"has a mode that git doesn't know ({entry.mode:o})"


@dataclass(frozen=True)
class Twin:
    """A complete checkout of another tree, for the same owner, that isn't written to."""

    root: Path
    tree: str


def check_out(
    objects: Objects, tree: str, target: Path, owner: Owner | None = None, twin: Twin | None = None
) -> tuple[Skipped, ...]:
    """Writes the tree to `target`, which must not exist yet; returns what was left out. Files have mode 644 or 755 and
    belong to `owner`; those that are equal in `twin` are hard links to its files.

    Raises FileExistsError, GitError for a missing object, OSError for a full disk; files written so far remain.
    """
    for _ in walk(objects, tree, []):
        pass  # raises before anything is written if the tree has too many entries
    writer = _Writer(objects, owner)
    create_folder(None, target, owner)
    with opened(target) as fd:
        if twin is None:
            writer.folder(tree, fd, b"", NO_FOLDER)
        else:
            with opened(twin.root) as old:
                writer.folder(tree, fd, b"", _Old(old, objects.tree(twin.tree)))
    return tuple(writer.skipped)


@dataclass(frozen=True)
class _Old:
    """The same folder in the twin: its descriptor (None if the twin has no such folder) and its tree's entries."""

    fd: int | None
    entries: Mapping[bytes, TreeEntry]


NO_FOLDER = _Old(None, MappingProxyType({}))


@dataclass
class _Writer:
    objects: Objects
    owner: Owner | None
    skipped: list[Skipped] = field(default_factory=list)

    def folder(self, tree: str, fd: int, prefix: bytes, old: _Old) -> None:
        """Writes the tree's entries into the open folder."""
        for name, entry in self.objects.tree(tree).items():
            path = prefix + name
            why = left_out(self.objects, name, path, entry)
            try:
                if why is None:
                    self._write(fd, name, path, entry, old)
            except FileExistsError:
                why = "is the same name as another one to this file system"
            if why:
                self.skipped.append(Skipped(os.fsdecode(path), why))

    def _write(self, fd: int, name: bytes, path: bytes, entry: TreeEntry, old: _Old) -> None:
        if entry.folder:
            create_folder(fd, name, self.owner)
            with opened(name, fd) as below, self._inner(old, name) as its_old:
                self.folder(entry.sha, below, path + b"/", its_old)
        elif entry.mode == SUBMODULE:
            create_folder(fd, name, self.owner)
            self.skipped.append(Skipped(os.fsdecode(path), "is a submodule; its folder stays empty"))
        elif entry.link:
            create_link(fd, name, self.objects.blob(entry.sha), self.owner)
        elif not self._link_from_twin(fd, name, entry, old):
            create_regular(fd, name, self.objects.blob(entry.sha), bool(entry.mode & 0o100), self.owner)

    @contextmanager
    def _inner(self, old: _Old, name: bytes) -> Iterator[_Old]:
        """Opens the twin's subfolder `name`; yields NO_FOLDER if it has none, or git no longer has its entries: the
        clone of its tree may have been deleted, and made again in the same place."""
        entry = old.entries.get(name)
        if old.fd is None or entry is None or not entry.folder or not self.objects.has(entry.sha):
            yield NO_FOLDER
            return
        with opened(name, old.fd) as fd:
            yield _Old(fd, self.objects.tree(entry.sha))

    def _link_from_twin(self, fd: int, name: bytes, entry: TreeEntry, old: _Old) -> bool:
        """Hard-links the twin's file; returns whether it could. Mode and owner must be those a checkout would set."""
        if old.fd is None or old.entries.get(name) != entry:
            return False
        uid, gid = (self.owner.uid, self.owner.gid) if self.owner else (os.geteuid(), os.getegid())
        mode = stat.S_IFREG | (0o755 if entry.mode & 0o100 else 0o644)
        try:
            status = os.stat(name, dir_fd=old.fd, follow_symlinks=False)
            if (status.st_mode, status.st_uid, status.st_gid) != (mode, uid, gid):
                return False
            os.link(name, name, src_dir_fd=old.fd, dst_dir_fd=fd, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:  # the file is missing or has too many links
            return False
        return True
