"""Writes the current contents of a folder as a tree: the opposite of a checkout.

Like `git add --all && git write-tree`: new files are added unless .gitignore (or LITTER) ignores them, tracked ones
always. Deliberate differences from git: nothing is converted (files are blobs byte for byte), symlinks are never
followed, and an untracked folder with its own `.git` is left out. What a checkout leaves out (checkout.left_out) is
kept as it was.

Of a folder that lies over another one (an overlay's upper layer) only its own contents are read: they are the
difference.
"""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from healing.edits.merge import TreeEntry
from healing.files.overlay import KERNEL, Marks
from healing.git.checkout import SUBMODULE, left_out
from healing.git.errors import GitError, Skipped
from healing.git.folder import MAX_FILE, opened, read_regular, status_of
from healing.git.ignore import LITTER, Ignores, ignored, parse
from healing.git.names import is_dot_git
from healing.git.objects import BLOB, Objects, object_id
from healing.git.trees import MAX_ENTRIES, refused

MAX_IGNORE_FILE = 512 << 10
Trust = Callable[[bytes, os.stat_result], TreeEntry | None]
Stack = tuple[Ignores, ...]


def trust_nothing(_path: bytes, _status: os.stat_result) -> None:
    """The default `Trust`: trusts no status, so every file is read."""


@dataclass(frozen=True)
class PersonsFolder:
    """What is different where a person keeps a clone. `trust` may return an unchanged file's entry from its status
    alone. `absent` are tracked paths that are kept though they are not on disk (sparse checkout). Untracked files over
    MAX_FILE, which are data or builds, are left out."""

    trust: Trust = trust_nothing
    absent: frozenset[bytes] = frozenset()


def take_snapshot(
    objects: Objects,
    tree: str,
    root: Path,
    *,
    exclude: tuple[bytes, ...] = (LITTER,),
    persons: PersonsFolder | None = None,
    lower: Path | None = None,
    marks: Marks = KERNEL,
) -> tuple[str, tuple[Skipped, ...]]:
    """The tree id of the contents of `root`, and what was left out of it. `tree` has the tracked files.

    `exclude` are further ignore files, lowest precedence first. With `lower` the root is an overlay's upper layer, with
    `marks` for deleted files and opaque folders: tracked files that only `lower` has are unchanged, untracked ones that
    only it has don't count. Raises GitError for a file that can't be read or is too large.
    """
    walker = _Walker(objects, persons or PersonsFolder(), marks if lower else None, persons is not None)
    stack = tuple(parse(data) for data in exclude)
    with ExitStack() as held:
        fd = held.enter_context(opened(root))
        below = held.enter_context(opened(lower)) if lower else None
        entries = walker.folder(_Layers(fd, below, marks), b"", objects.tree(tree), stack, inside_ignored=False)
    return objects.add_tree(entries), tuple(walker.skipped)


@dataclass(frozen=True)
class _Layers:
    """An open folder, and the folder of the lower layer that it is merged with, if any."""

    fd: int
    lower: int | None
    marks: Marks

    def has(self, name: bytes) -> bool:
        """Whether the lower folder has an entry of this name."""
        return self.lower is not None and status_of(self.lower, name) is not None

    def read(self, name: bytes, names: list[bytes]) -> bytes:
        return read_regular(self.fd if name in names or self.lower is None else self.lower, name)[0]

    @contextmanager
    def inner(self, name: bytes) -> Iterator["_Layers"]:
        """Opens the subfolder `name` in both layers."""
        with ExitStack() as held:
            fd = held.enter_context(opened(name, self.fd))
            status = None if self.lower is None or self.marks.is_opaque(fd) else status_of(self.lower, name)
            merged = status is not None and stat.S_ISDIR(status.st_mode)
            yield _Layers(fd, held.enter_context(opened(name, self.lower)) if merged else None, self.marks)


class _Walker:
    def __init__(self, objects: Objects, persons: PersonsFolder, marks: Marks | None, skip_large: bool) -> None:
        self.objects = objects
        self.trust = persons.trust
        self.absent = persons.absent
        self.marks = marks
        self.skip_large = skip_large
        self.skipped: list[Skipped] = []
        self.seen = 0

    def folder(
        self, at: _Layers, prefix: bytes, tracked: Mapping[bytes, TreeEntry], stack: Stack, inside_ignored: bool
    ) -> dict[bytes, TreeEntry]:
        names = sorted(os.fsencode(name) for name in os.listdir(at.fd))
        stack = self._with_gitignore(at, prefix, names, stack)
        entries: dict[bytes, TreeEntry] = {}
        for name in names:
            try:
                entry = self._entry(at, name, prefix + name, tracked.get(name), stack, inside_ignored)
            except FileNotFoundError:  # gone since it was listed
                continue
            if entry:
                entries[name] = entry
        for name, old in tracked.items():
            if name in entries:
                continue
            if self._kept(name, prefix + name, old) or (name not in names and at.has(name)):
                entries[name] = old
        return entries

    def _with_gitignore(self, at: _Layers, prefix: bytes, names: list[bytes], stack: Stack) -> Stack:
        if b".gitignore" not in names and not at.has(b".gitignore"):
            return stack
        try:
            data = at.read(b".gitignore", names)
        except (OSError, GitError):  # a symlink, a folder, a pipe: git doesn't read those either
            return stack
        return (*stack, parse(data[:MAX_IGNORE_FILE], prefix))

    def _kept(self, name: bytes, path: bytes, old: TreeEntry) -> bool:
        if path in self.absent:
            return True
        if old.folder and any(other.startswith(path + b"/") for other in self.absent):
            return True  # wholly outside the sparse cone; a folder that is partly inside is on disk
        return left_out(self.objects, name, path, old) is not None

    def _entry(
        self, at: _Layers, name: bytes, path: bytes, old: TreeEntry | None, stack: Stack, inside_ignored: bool
    ) -> TreeEntry | None:
        fd = at.fd
        if is_dot_git(name):
            return None
        self.seen += 1
        if self.seen > MAX_ENTRIES:
            raise GitError(f"there are more than {MAX_ENTRIES:,} files; add generated ones to .gitignore")
        status = os.stat(name, dir_fd=fd, follow_symlinks=False)
        if self.marks and self.marks.is_whiteout(status):
            return None
        is_folder = stat.S_ISDIR(status.st_mode)
        ignore = inside_ignored or ignored(stack, path, is_folder)
        if old is None and ignore:
            return None
        if why := refused(name, path, path.count(b"/")):
            self._skip(path, why)
            return None
        if is_folder:
            return self._folder(at, name, path, old, stack, ignore)
        if old and old.folder and ignore:
            return None
        if stat.S_ISLNK(status.st_mode):
            return TreeEntry(0o120000, self.objects.add_blob(os.readlink(name, dir_fd=fd)))
        if stat.S_ISREG(status.st_mode):
            if self.skip_large and old is None and status.st_size > MAX_FILE:
                self._skip(path, f"is over {MAX_FILE >> 20} MB")
                return None
            return self.trust(path, status) or self._file(fd, name, path, old)
        self._skip(path, "is neither file, folder nor link")
        return None

    def _skip(self, path: bytes, why: str) -> None:
        self.skipped.append(Skipped(os.fsdecode(path), why))

    def _folder(
        self, at: _Layers, name: bytes, path: bytes, old: TreeEntry | None, stack: Stack, ignore: bool
    ) -> TreeEntry | None:
        if old and old.mode == SUBMODULE:
            return old
        tracked = self.objects.tree(old.sha) if old and old.folder else {}
        if ignore and not tracked:
            return None
        try:
            with at.inner(name) as below:
                if not tracked and _has_git(below.fd):
                    self._skip(path, "is a repository of its own")
                    return None
                entries = self.folder(below, path + b"/", tracked, stack, ignore)
        except PermissionError:
            raise GitError(f"{_show(path)} can't be opened; give its owner the right to (chmod u+rx)") from None
        if old and old.folder and entries == tracked:
            return old
        return TreeEntry(0o040000, self.objects.add_tree(entries)) if entries else None

    def _file(self, fd: int, name: bytes, path: bytes, old: TreeEntry | None) -> TreeEntry:
        try:
            data, status = read_regular(fd, name)
        except PermissionError:
            raise GitError(f"{_show(path)} can't be read; give its owner the right to (chmod u+r)") from None
        executable = bool(status.st_mode & 0o100)
        mode = 0o100755 if executable else 0o100644
        if old and old.regular and bool(old.mode & 0o100) == executable:
            mode = old.mode  # some old trees have 100664
        sha = object_id(BLOB, data)
        if not (old and old.sha == sha):
            self.objects.add_blob(data)
        return TreeEntry(mode, sha)


def _has_git(fd: int) -> bool:
    try:
        os.stat(b".git", dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _show(path: bytes) -> str:
    return path.decode("utf-8", "replace")
