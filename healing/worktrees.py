"""Where repositories lie on disk: one mirror each, one base per run, and a short-lived worktree for every try (WT-2).

    data/mirrors/<repository>.git     bare, ours alone (0700): the sandbox's user can't enter
    data/bases/<run id>-<tree>/files  one checkout per run, kept; `clean` removes it by age and size
    data/trees/<process>/…            worktrees, gone when their `async with` ends
    data/trees/<process>.lock         held (flock) while that process lives: `sweep` removes what a dead one left

A worktree is a copy of its base plus the difference between the two trees. `worktree()` is the one place to change
when an overlay takes the copy's place.
"""

import asyncio
import errno
import hashlib
import os
import re
import secrets
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import ParamSpec, TypeVar

from healing.gitio import DiskFull, Git, GitError, Skipped
from healing.gitio.disk import copy_tree, size_of
from healing.gitio.folder import Folder
from healing.gitio.locks import acquire, locked, release
from healing.gitio.store import NO_MODES
from healing.sandbox.owner import Owner
from healing.sandbox.removal import remove_tree

MIN_FREE = 1 << 30  # bytes that stay free for checks to work in
MIN_INODES = 50_000
P = ParamSpec("P")
R = TypeVar("R")


class Worktree:
    """A folder with the files of `tree`, to be changed at will. Sync; paths are confined to it."""

    def __init__(self, root: Path, git: Git, tree: str, owner: Owner | None, skipped: tuple[Skipped, ...] = ()) -> None:
        self.root = root
        self.tree = tree
        self.skipped = skipped  # what of the tree is not on disk, and why
        self._git = git
        self._folder = Folder(root, owner)

    def read(self, path: str) -> bytes | None:
        """The file's bytes as they are now; None where there is no regular file that no link leads to.

        Raises UnsafePath for a path that leads out.
        """
        return self._folder.read(path)

    def write(self, changes: Mapping[str, bytes | None], modes: Mapping[str, str] = NO_MODES) -> None:
        """Sets these files, or (None) deletes them. A file keeps its exec bit unless `modes` says otherwise.

        Raises UnsafePath for hostile paths and where links or folders are in the way; earlier ones are written then.
        """
        for path, data in changes.items():
            if data is None:
                self._folder.remove(path)
        for path, data in changes.items():
            if data is not None:
                self._folder.write(path, data, modes[path] == "100755" if path in modes else None)

    def snapshot(self) -> str:
        """The id of the tree that is here now; see healing.gitio.snapshot."""
        return self._git.snapshot(self.tree, self.root)


class Worktrees:
    """All folders below `data`. `owner` is who runs commands in worktrees; None: we ourselves."""

    def __init__(self, data: Path, owner: Owner | None = None, min_free: int = MIN_FREE) -> None:
        """Makes the folders. Raises GitError where `owner` could not reach them."""
        self.data = data
        self.owner = owner if owner and (owner.uid, owner.gid) != (os.geteuid(), os.getegid()) else None
        self.min_free = min_free
        self._session: Path | None = None
        self._lock: int | None = None
        self._once = threading.Lock()
        passage = 0o711 if self.owner else 0o700
        for folder, mode in ((data, passage), (data / "trees", passage), (data / "bases", passage)):
            folder.mkdir(mode=mode, parents=True, exist_ok=True)
            folder.chmod(mode)
        (data / "mirrors").mkdir(mode=0o700, exist_ok=True)
        (data / "mirrors").chmod(0o700)
        if self.owner and (barred := _barred(data, self.owner)):
            raise GitError(f"the sandbox's user {self.owner.uid} can't enter {barred}; chmod o+x it, or move the data")

    def close(self) -> None:
        """Removes what this process made and gives its lock back. Worktrees in use go too."""
        if self._session is not None and self._lock is not None:
            remove_tree(self._session)
            release(self._lock, remove=_lock_of(self._session))
            self._session = self._lock = None

    def mirror(self, slug: str) -> Git:
        """The store of the repository `owner/name`, made where it isn't there. To be closed by the caller."""
        return Git.open(self.data / "mirrors" / f"{_safe(slug)}.git")

    async def base(self, run_id: str, git: Git, tree: str) -> Path:
        """The run's checkout of `tree`; made at most once, also by several processes. Raises DiskFull, GitError."""
        return await _to_the_end(self._base, run_id, git, tree)

    @asynccontextmanager
    async def worktree(self, run_id: str, name: str, git: Git, tree: str) -> AsyncIterator[Worktree]:
        """A worktree of `tree`, removed on every way out. It starts from the run's base where there is one, so what
        was installed there is here too. Raises DiskFull, GitError."""
        folder = self._home() / f"{_safe(run_id)}-{_safe(name)}-{secrets.token_hex(4)}"
        try:
            yield await _to_the_end(self._make, folder, run_id, git, tree)
        finally:
            await _to_the_end(remove_tree, folder)

    def sweep(self) -> tuple[str, ...]:
        """Removes what dead processes left; to be called at start. Gives the names of what it removed."""
        trees = self.data / "trees"
        swept: list[str] = []
        for session in sorted({path.with_suffix("") for path in trees.iterdir()}):
            lock = acquire(_lock_of(session), wait=False)
            if lock is None:
                continue
            if session.exists():
                swept.append(session.name)
            remove_tree(session)
            release(lock, remove=_lock_of(session))
        return tuple(swept)

    def clean(self, max_age: timedelta, max_bytes: int, now: datetime) -> tuple[str, ...]:
        """Removes bases not used for `max_age`, then the longest unused until the rest is within `max_bytes`. Those in
        use stay. Gives the names of what it removed."""
        bases = [path for path in (self.data / "bases").iterdir() if path.is_dir()]
        used = {path: _last_used(path) for path in bases}
        sizes = {path: size_of(path) for path in bases}
        total = sum(sizes.values())
        removed: list[str] = []
        for path in sorted(bases, key=lambda path: used[path]):
            old = now.timestamp() - used[path] > max_age.total_seconds()
            if (old or total > max_bytes) and self._remove_base(path):
                total -= sizes[path]
                removed.append(path.name)
        return tuple(removed)

    def _remove_base(self, path: Path) -> bool:
        lock = acquire(_lock_of(path), wait=False)
        if lock is None:
            return False
        grave = self._home() / f"cleaned-{secrets.token_hex(4)}"
        path.rename(grave)  # first out of sight, whole
        remove_tree(grave)
        release(lock, remove=_lock_of(path))
        return True

    def _home(self) -> Path:
        """This process's own folder, made and locked when it is first needed."""
        with self._once:
            if self._session is None:
                session = self.data / "trees" / f"{os.getpid()}-{secrets.token_hex(4)}"
                self._lock = acquire(_lock_of(session))
                _passage(session, self.owner)
                self._session = session
            return self._session

    def _base(self, run_id: str, git: Git, tree: str) -> Path:
        base = self.data / "bases" / f"{_safe(run_id)}-{git.tree_of(tree)[:16]}"
        with locked(_lock_of(base)):
            if not (base / "used").exists():
                self._check_disk(0)
                partial = self._home() / f"base-{secrets.token_hex(4)}"
                try:
                    _passage(partial, self.owner)
                    with _space():
                        git.checkout(tree, partial / "files", self.owner)
                        (partial / "tree").write_text(git.tree_of(tree))
                        (partial / "used").touch()
                    partial.rename(base)
                finally:
                    remove_tree(partial)
            os.utime(base / "used")
        return base / "files"

    def _make(self, folder: Path, run_id: str, git: Git, tree: str) -> Worktree:
        root = folder / "files"
        tree = git.tree_of(tree)
        base = self._nearest_base(run_id, tree)
        _passage(folder, self.owner)
        if base is None:
            self._check_disk(0)
            with _space():
                return Worktree(root, git, tree, self.owner, git.checkout(tree, root, self.owner))
        with locked(_lock_of(base), shared=True):
            if (base / "used").exists():
                return self._copy(base, root, git, tree)
        return self._make(folder / "again", run_id, git, tree)  # it was cleaned just now

    def _copy(self, base: Path, root: Path, git: Git, tree: str) -> Worktree:
        self._check_disk(size_of(base))
        os.utime(base / "used")
        before = (base / "tree").read_text()
        with _space():
            if before != tree and not _expressible(git, before, tree):
                return Worktree(root, git, tree, self.owner, git.checkout(tree, root, self.owner))
            copy_tree(base / "files", root, self.owner)
            worktree = Worktree(root, git, tree, self.owner)
            if before != tree:
                view = git.view(tree)
                changes = {path: new for path, (_, new) in git.changed(before, tree).items()}
                worktree.write(changes, {path: view.mode(path) or "100644" for path in changes})
        return worktree

    def _nearest_base(self, run_id: str, tree: str) -> Path | None:
        bases = self.data / "bases"
        exact = bases / f"{_safe(run_id)}-{tree[:16]}"
        if exact.is_dir():
            return exact
        return max((path for path in bases.glob(f"{_safe(run_id)}-*") if path.is_dir()), key=_last_used, default=None)

    def _check_disk(self, needed: int) -> None:
        free = shutil.disk_usage(self.data).free
        if free - needed < self.min_free:
            raise DiskFull(
                f"{free >> 20} MB are free below {self.data}; a worktree needs {(needed + self.min_free) >> 20} MB. "
                "Free some, let bases be cleaned earlier, or move the data to a larger disk"
            )
        inodes = os.statvfs(self.data)
        if inodes.f_files and inodes.f_favail < MIN_INODES:
            raise DiskFull(f"only {inodes.f_favail} files can still be made below {self.data}; remove some")


def _expressible(git: Git, before: str, after: str) -> bool:
    """Whether plain edits lead from one tree to the other."""
    try:
        git.changed(before, after)
    except GitError:
        return False
    return True


@contextmanager
def _space() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFull("the disk filled up while a worktree was written; free some space and try again") from error


async def _to_the_end(work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Runs it in a thread, and when we are cancelled waits for its end first: a thread can't be stopped, and what it
    still writes could not be removed."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                continue
        if not task.cancelled():
            task.exception()  # it was seen; the cancellation is what counts
        raise


def _passage(folder: Path, owner: Owner | None) -> None:
    """A folder of ours that the owner may go through but not list."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711 if owner else 0o700)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(folder.name + ".lock")


def _last_used(base: Path) -> float:
    try:
        return (base / "used").stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _safe(name: str) -> str:
    """A file name for this; different names stay different."""
    plain = re.sub(r"[^A-Za-z0-9_-]", lambda match: f"%{ord(match.group()):02x}", name)
    return plain if len(plain) <= 150 else plain[:100] + "%" + hashlib.sha256(plain.encode()).hexdigest()[:32]


def _barred(folder: Path, owner: Owner) -> Path | None:
    """The first folder on the way that this user can't go through; None: the way is free."""
    for step in reversed([folder.resolve(), *folder.resolve().parents]):
        status = step.stat()
        bit = 0o100 if status.st_uid == owner.uid else 0o010 if status.st_gid == owner.gid else 0o001
        if not status.st_mode & bit:
            return step
    return None
