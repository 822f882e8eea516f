"""Gives a worktree its own `.git`, so that git works in it: `git status`, `diff`, `ls-files`, setuptools-scm.

It has no credentials, remotes or hooks, and changes to it stay in the worktree. Objects are read through git's
`alternates` from a folder beside the base, whose packs are hard links to the store's files; the sandbox's user may read
but not write them, and can't enter the store itself. HEAD is a synthetic commit of the tree, without parents and with a
fixed time, so the same tree has the same HEAD.
"""

import hashlib
import os
import shutil
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from dulwich.objects import Commit, ObjectID

from healing.edits.merge import TreeEntry
from healing.git.checkout import SUBMODULE
from healing.git.errors import GitError
from healing.git.folder import create_folder, create_regular, opened, status_of
from healing.git.names import hostile_path
from healing.git.objects import COMMIT, TREE, Objects, loose
from healing.git.trees import differences, new_in_tree, walk
from healing.process.owner import Owner

ATTEMPTS = 2  # to link a store's packs, which a repack may replace meanwhile
COPIED = 256 << 20  # bytes of packs that are copied where they can't be linked
WHO = b"Heal <heal@localhost>"
WHEN = 1577836800  # 2020-01-01
# ctimes and owners look different from inside a sandbox; git is configured to ignore them.
CONFIG = b"""[core]
\trepositoryformatversion = 0
\tbare = false
\tfilemode = true
\tcheckStat = minimal
\ttrustctime = false
\tlogallrefupdates = true
[gc]
\tauto = 0
"""


# Git's index file (version 2) as bytes: written for a checkout, and updated without a stat of every file.
HEADER = struct.Struct(">4sII")
STAT = struct.Struct(">10I20sH")  # times, device, inode, mode, owner, size; object; flags
MAX_NAME = 0xFFF
NOT_RUN = 0x8000  # "assume unchanged": for what a checkout left out
MASK = 0xFFFFFFFF


def index_entry(path: bytes, entry: TreeEntry, status: os.stat_result | None) -> bytes:
    """One entry. `status` None: the file is not on disk, and git is to assume it unchanged."""
    flags = min(len(path), MAX_NAME) | (0 if status else NOT_RUN)
    noted = (0,) * 6
    owned = (0, 0, 0)
    if status:
        times = (*divmod(status.st_ctime_ns, 10**9), *divmod(status.st_mtime_ns, 10**9))
        noted = (*times, status.st_dev, status.st_ino)
        owned = (status.st_uid, status.st_gid, status.st_size)
    numbers = [number & MASK for number in (*noted, _mode(entry), *owned)]
    fixed = STAT.pack(*numbers, bytes.fromhex(entry.sha), flags)
    return fixed + path + b"\0" * (8 - (len(fixed) + len(path)) % 8)


def _mode(entry: TreeEntry) -> int:
    """The entry's mode in an index; old trees have modes that are invalid there."""
    return (0o100755 if entry.mode & 0o100 else 0o100644) if entry.regular else entry.mode


def index_file(entries: Mapping[bytes, bytes]) -> bytes:
    """The index file with these entries by path."""
    body = HEADER.pack(b"DIRC", 2, len(entries)) + b"".join(entries[path] for path in sorted(entries))
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def index_entries(data: bytes) -> dict[bytes, bytes]:
    """The raw entries of an index that `index_file` wrote, by path. Raises GitError for any other version."""
    if data[:8] != b"DIRC\0\0\0\2":
        raise GitError("this is no index that Heal wrote; create the base again")
    return dict(_entries(data))


def _entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = HEADER.size
    for _ in range(int.from_bytes(data[8:12], "big")):
        start = at + STAT.size
        length = int.from_bytes(data[start - 2 : start], "big") & MAX_NAME
        end = start + length if length < MAX_NAME else data.index(b"\0", start)
        size = (end - at) // 8 * 8 + 8
        yield data[start:end], data[at : at + size]
        at += size


def share_objects(objects: Objects, tree: str, target: Path) -> bool:
    """Makes a folder through which other users may read the objects of `tree`, and whatever is packed with them.

    Returns False, with only a part shared, where they can't be linked and are over COPIED bytes.
    """
    left = COPIED
    for folder in (target, target / "pack"):
        folder.mkdir()
        folder.chmod(0o755)
    stores = list(_stores(Path(objects.path) / "objects", set()))
    for pack in _packs(stores, target / "pack"):
        try:
            left -= _share(pack, target / "pack" / pack.name)
        except FileNotFoundError:  # repacked meanwhile, into a pack that is listed next
            continue
        if left < 0:
            return False
    single = {path.parent.name + path.name: path for store in stores for path in store.glob("[0-9a-f][0-9a-f]/*")}
    for _, sha in new_in_tree(objects, tree, set(), set()) if single else ():
        if path := single.get(sha):
            (target / sha[:2]).mkdir(exist_ok=True)
            (target / sha[:2]).chmod(0o755)
            left -= _share(path, target / sha[:2] / sha[2:])
            if left < 0:
                return False
    return True


def copy_objects(objects: Objects, tree: str, target: Path) -> bool:
    """Makes a folder with copies of the objects of `tree` that a checkout needs, and nothing else of the repository:
    no other version of a file, no other branch. Returns False, with only a part copied, if they are over COPIED bytes.
    """
    left = COPIED
    for folder in (target, target / "pack"):
        folder.mkdir()
        folder.chmod(0o755)
    shown = {entry.sha for _, entry in walk(objects, tree, [])}
    with opened(target) as store:
        for kind, sha in new_in_tree(objects, tree, set(), set()):
            if kind != TREE and sha not in shown:  # under a hostile name, which is never checked out
                continue
            data = objects.raw(sha, kind)
            left -= len(data)
            if left < 0:
                return False
            _write_object(store, sha, kind, data, None)
    return True


def _packs(stores: list[Path], target: Path) -> Iterator[Path]:
    """The packs of the stores and their indexes, including those that appear while others are shared."""
    seen: set[Path] = set()
    for _ in range(ATTEMPTS):
        packs = [pack for store in stores for pack in sorted((store / "pack").glob("pack-*.*"))]
        new = [pack for pack in packs if pack.suffix in (".pack", ".idx") and pack not in seen]
        seen.update(new)
        yield from (pack for pack in new if not (target / pack.name).exists())


def _stores(store: Path, seen: set[Path]) -> Iterator[Path]:
    """This folder of objects, and those that it borrows from, recursively."""
    store = store.resolve()
    if store in seen:
        return
    seen.add(store)
    yield store
    alternates = store / "info" / "alternates"
    if alternates.exists():
        for line in alternates.read_text().splitlines():
            yield from _stores(store / line, seen)


def _share(source: Path, target: Path) -> int:
    """Hard-links the file if it is readable to all, else copies it; returns the bytes copied. A file over COPIED bytes
    isn't copied, but its size is returned all the same."""
    status = source.stat()
    if status.st_mode & 0o004:
        try:
            os.link(source, target)
        except OSError:
            pass
        else:
            return 0
    if status.st_size <= COPIED:
        shutil.copyfile(source, target)
        target.chmod(0o444)
    return status.st_size


def add_git(objects: Objects, tree: str, root: Path, shared: Path, owner: Owner | None) -> None:
    """Makes `.git` in a fresh checkout of `tree`; it borrows objects from `shared`."""
    entries = {path: _index_entry_on_disk(root, path, entry) for path, entry in walk(objects, tree, [])}
    with opened(root) as at:
        create_folder(at, b".git", owner)
        with opened(b".git", at) as git:
            for name in (b"refs", b"refs/heads", b"refs/tags", b"objects", b"objects/info", b"objects/pack"):
                create_folder(git, name, owner)
            create_regular(git, b"objects/info/alternates", os.fsencode(shared) + b"\n", False, owner)
            create_regular(git, b"config", CONFIG, False, owner)
            _point(git, tree, owner)
            create_regular(git, b"index", index_file(entries), False, owner)


def move_git(objects: Objects, before: str, after: str, root: Path, base: Path, owner: Owner | None) -> None:
    """Switches the `.git` of `root` (a copy of, or a layer over, the checkout `base` of `before`) to the tree
    `after`."""
    entries = index_entries((base / ".git" / "index").read_bytes())
    for path, (_, new) in differences(objects, before, after).items():
        if new is None or hostile_path(path):
            entries.pop(path, None)
        else:
            entries[path] = _index_entry_on_disk(root, path, new)
    with opened(root) as at:
        if status_of(at, b".git") is None:
            create_folder(at, b".git", owner)
            with opened(b".git", at) as git:
                create_folder(git, b"objects", owner)
        with opened(b".git", at) as git:
            for name in (b"HEAD", b"index"):
                if status_of(git, name) is not None:
                    os.unlink(name, dir_fd=git)
            _point(git, after, owner)
            for kind, sha in new_in_tree(objects, after, {before}, set()):
                _add_object(git, sha, kind, objects.raw(sha, kind), owner)
            create_regular(git, b"index", index_file(entries), False, owner)


def _point(git: int, tree: str, owner: Owner | None) -> None:
    commit = Commit()
    commit.tree = ObjectID(tree.encode())
    commit.author = commit.committer = WHO
    commit.author_time = commit.commit_time = WHEN
    commit.author_timezone = commit.commit_timezone = 0
    commit.message = b"What was checked out\n"
    sha = commit.id.decode()
    _add_object(git, sha, COMMIT, commit.as_raw_string(), owner)
    create_regular(git, b"HEAD", sha.encode() + b"\n", False, owner)


def _add_object(git: int, sha: str, kind: int, data: bytes, owner: Owner | None) -> None:
    with opened(b"objects", git) as store:
        _write_object(store, sha, kind, data, owner)


def _write_object(store: int, sha: str, kind: int, data: bytes, owner: Owner | None) -> None:
    folder = sha[:2].encode()
    if status_of(store, folder) is None:
        create_folder(store, folder, owner)
    create_regular(store, folder + b"/" + sha[2:].encode(), zlib.compress(loose(kind, data), 1), False, owner)


def _index_entry_on_disk(root: Path, path: bytes, entry: TreeEntry) -> bytes:
    """The index entry with the status on disk; without one for a submodule, or a file that a checkout left out."""
    status = None
    if entry.mode != SUBMODULE:
        try:
            status = os.lstat(os.path.join(os.fsencode(root), path))
        except OSError:
            status = None
    return index_entry(path, entry, status)
