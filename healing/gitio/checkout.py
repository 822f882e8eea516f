"""Writes a tree to disk, and runs nothing of it: no hook, filter, smudge, end-of-line rule or attribute (WT-4).

What is different from `git checkout`, by choice:
- Large-file (LFS) pointers stay pointers, line ends stay as they are stored: the bytes are the blobs' bytes.
- A submodule is an empty folder; nothing is fetched.
- A symlink is only made if it stays inside the tree (names.safe_link); hostile names are not written at all.
- On a file system that doesn't tell `A` from `a`, the second of two such names is not written.
All that is left out is reported. `snapshot` knows what a checkout leaves out and doesn't take it for deleted.
"""

import os
from pathlib import Path

from healing.gitio.errors import Skipped
from healing.gitio.folder import create_folder, create_link, create_regular, opened
from healing.gitio.names import safe_link
from healing.gitio.objects import Objects
from healing.gitio.trees import refused, walk
from healing.merge import Entry
from healing.sandbox.owner import Owner

SUBMODULE = 0o160000


def left_out(objects: Objects, name: bytes, path: bytes, entry: Entry) -> str | None:
    """Why a checkout doesn't write this entry; None: it does."""
    depth = path.count(b"/")
    if why := refused(name, path, depth):
        return why
    if entry.link and not safe_link(objects.blob(entry.sha), depth):
        return "is a symlink that leads out of the repository"
    known = entry.folder or entry.regular or entry.link or entry.mode == SUBMODULE
    return None if known else f"has a mode that git doesn't know ({entry.mode:o})"


def check_out(objects: Objects, tree: str, target: Path, owner: Owner | None = None) -> tuple[Skipped, ...]:
    """Writes the tree to `target`, which must not be there yet. Files are 644 or 755, owned by `owner`.

    Raises FileExistsError, GitError for a missing object, OSError for a full disk; what was written stays then.
    """
    skipped: list[Skipped] = []
    for _ in walk(objects, tree, []):
        pass  # raises before anything is written if the tree unfolds without end
    create_folder(None, target, owner)
    with opened(target) as fd:
        _write_folder(objects, tree, fd, b"", owner, skipped)
    return tuple(skipped)


def _write_folder(
    objects: Objects, tree: str, fd: int, prefix: bytes, owner: Owner | None, skipped: list[Skipped]
) -> None:
    for name, entry in objects.tree(tree).items():
        path = prefix + name
        why = left_out(objects, name, path, entry)
        try:
            if why is None:
                _write(objects, fd, name, path, entry, owner, skipped)
        except FileExistsError:
            why = "is the same name as another one to this file system"
        if why:
            skipped.append(Skipped(os.fsdecode(path), why))


def _write(
    objects: Objects, fd: int, name: bytes, path: bytes, entry: Entry, owner: Owner | None, skipped: list[Skipped]
) -> None:
    if entry.folder or entry.mode == SUBMODULE:
        create_folder(fd, name, owner)
        if entry.folder:
            with opened(name, fd) as below:
                _write_folder(objects, entry.sha, below, path + b"/", owner, skipped)
        else:
            skipped.append(Skipped(os.fsdecode(path), "is a submodule; its folder stays empty"))
    elif entry.link:
        create_link(fd, name, objects.blob(entry.sha), owner)
    else:
        create_regular(fd, name, objects.blob(entry.sha), bool(entry.mode & 0o100), owner)
