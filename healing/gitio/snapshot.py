"""What lies in a folder now, as a tree: the checkout's opposite.

Like `git add --all && git write-tree`: new files count unless .gitignore (or LITTER) ignores them, tracked ones always.
Different from git, by choice: nothing is converted (bytes are blobs), symlinks are never followed, and an untracked
folder with a `.git` of its own is left out. What a checkout leaves out (checkout.left_out) is kept as it was.
"""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from healing.gitio.checkout import SUBMODULE, left_out
from healing.gitio.errors import GitError, Skipped
from healing.gitio.folder import opened, read_regular
from healing.gitio.ignore import LITTER, Ignores, ignored, parse
from healing.gitio.names import is_dot_git
from healing.gitio.objects import BLOB, Objects, object_id
from healing.gitio.trees import MAX_ENTRIES, refused
from healing.merge import Entry

MAX_IGNORE_FILE = 512 << 10
Trust = Callable[[bytes, os.stat_result], Entry | None]
Stack = tuple[Ignores, ...]


def trust_nothing(_path: bytes, _status: os.stat_result) -> None:
    """Every file is read."""


def take_snapshot(
    objects: Objects,
    tree: str,
    root: Path,
    *,
    exclude: tuple[bytes, ...] = (LITTER,),
    trust: Trust = trust_nothing,
    absent: frozenset[bytes] = frozenset(),
) -> tuple[str, tuple[Skipped, ...]]:
    """The tree id of what is in `root`, where `tree` names what is tracked, and what was left out of it.

    `exclude` are further ignore files, the weakest first; `trust` may know an unchanged file's entry from its stat
    alone; `absent` are tracked paths that are kept though they are not on disk (sparse checkout).
    Raises GitError for a file that can't be read or is too large.
    """
    walker = _Walker(objects, trust, absent)
    stack = tuple(parse(data) for data in exclude)
    with opened(root) as fd:
        entries = walker.folder(fd, b"", objects.tree(tree), stack, inside_ignored=False)
    return objects.add_tree(entries), tuple(walker.skipped)


class _Walker:
    def __init__(self, objects: Objects, trust: Trust, absent: frozenset[bytes]) -> None:
        self.objects = objects
        self.trust = trust
        self.absent = absent
        self.skipped: list[Skipped] = []
        self.seen = 0

    def folder(
        self, fd: int, prefix: bytes, tracked: Mapping[bytes, Entry], stack: Stack, inside_ignored: bool
    ) -> dict[bytes, Entry]:
        with os.scandir(fd) as found:
            names = sorted(os.fsencode(entry.name) for entry in found)
        stack = self._with_gitignore(fd, prefix, names, stack)
        entries: dict[bytes, Entry] = {}
        for name in names:
            try:
                entry = self._entry(fd, name, prefix + name, tracked.get(name), stack, inside_ignored)
            except FileNotFoundError:  # gone since it was listed
                continue
            if entry:
                entries[name] = entry
        for name, old in tracked.items():
            if name not in entries and self._kept(name, prefix + name, old):
                entries[name] = old
        return entries

    def _with_gitignore(self, fd: int, prefix: bytes, names: list[bytes], stack: Stack) -> Stack:
        if b".gitignore" not in names:
            return stack
        try:
            data = read_regular(fd, b".gitignore")[0]
        except (OSError, GitError):  # a symlink, a folder, a pipe: git doesn't read those either
            return stack
        return (*stack, parse(data[:MAX_IGNORE_FILE], prefix))

    def _kept(self, name: bytes, path: bytes, old: Entry) -> bool:
        if path in self.absent:
            return True
        if old.folder and any(other.startswith(path + b"/") for other in self.absent):
            return True  # a folder that is wholly outside the sparse cone; partly inside it is on disk
        return left_out(self.objects, name, path, old) is not None

    def _entry(
        self, fd: int, name: bytes, path: bytes, old: Entry | None, stack: Stack, inside_ignored: bool
    ) -> Entry | None:
        if is_dot_git(name):
            return None
        self.seen += 1
        if self.seen > MAX_ENTRIES:
            raise GitError(f"there are more than {MAX_ENTRIES:,} files; add generated ones to .gitignore")
        status = os.stat(name, dir_fd=fd, follow_symlinks=False)
        is_folder = stat.S_ISDIR(status.st_mode)
        ignore = inside_ignored or ignored(stack, path, is_folder)
        if old is None and ignore:
            return None
        if why := refused(name, path, path.count(b"/")):
            self._skip(path, why)
            return None
        if is_folder:
            return self._folder(fd, name, path, old, stack, ignore)
        if old and old.folder and ignore:
            return None
        if stat.S_ISLNK(status.st_mode):
            return Entry(0o120000, self.objects.add_blob(os.readlink(name, dir_fd=fd)))
        if stat.S_ISREG(status.st_mode):
            return self.trust(path, status) or self._file(fd, name, path, old)
        self._skip(path, "is neither file, folder nor link")
        return None

    def _skip(self, path: bytes, why: str) -> None:
        self.skipped.append(Skipped(os.fsdecode(path), why))

    def _folder(self, fd: int, name: bytes, path: bytes, old: Entry | None, stack: Stack, ignore: bool) -> Entry | None:
        if old and old.mode == SUBMODULE:
            return old
        tracked = self.objects.tree(old.sha) if old and old.folder else {}
        if ignore and not tracked:
            return None
        try:
            with opened(name, fd) as below:
                if not tracked and _has_git(below):
                    self._skip(path, "is a repository of its own")
                    return None
                entries = self.folder(below, path + b"/", tracked, stack, ignore)
        except PermissionError:
            raise GitError(f"{_show(path)} can't be opened; give its owner the right to (chmod u+rx)") from None
        if old and old.folder and entries == tracked:
            return old
        return Entry(0o040000, self.objects.add_tree(entries)) if entries else None

    def _file(self, fd: int, name: bytes, path: bytes, old: Entry | None) -> Entry:
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
        return Entry(mode, sha)


def _has_git(fd: int) -> bool:
    try:
        os.stat(b".git", dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _show(path: bytes) -> str:
    return path.decode("utf-8", "replace")
