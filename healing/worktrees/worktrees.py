"""Creates and removes mirrors, bases and worktrees."""

import os
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from pathlib import Path

from healing.files.overlay import KERNEL, PLAIN, Marks, marks_work
from healing.files.removal import remove_tree
from healing.git import DiskFull, Git, GitError, NotEditable
from healing.git.disk import copy_tree, size_of, size_of_copy
from healing.git.folder import create_folder, opened
from healing.process.owner import Owner
from healing.sandbox.layers import Layers
from healing.worktrees.bases import Base, Bases
from healing.worktrees.clone import Clone, date_like, hide
from healing.worktrees.copies import Copies, detects_changes
from healing.worktrees.environments import Environments
from healing.worktrees.naming import first_barred_folder, make_passage_folder, safe
from healing.worktrees.room import MIN_FREE, check_room, disk_full
from healing.worktrees.session import ProcessFolder
from healing.worktrees.threads import run_to_end
from healing.worktrees.worktree import Worktree

WAVE = 10  # worktrees that are made at the same time; free disk space is checked before each


class Worktrees:
    """All folders below `data`. `owner` is the user who runs commands in worktrees; None is our own user."""

    def __init__(
        self, data: Path, owner: Owner | None = None, min_free: int = MIN_FREE, clone: Clone | None = None
    ) -> None:
        """Makes the folders. `clone` is the user's own clone on a laptop; files that git ignores there are visible in
        worktrees too, below their own files. Raises GitError if `owner` can't reach the folders."""
        self.data = data
        self.clone = clone
        self.owner = owner if owner and (owner.uid, owner.gid) != (os.geteuid(), os.getegid()) else None
        self.min_free = min_free
        for folder in (data, data / "trees", data / "bases"):
            make_passage_folder(folder, self.owner)
        make_passage_folder(data / "mirrors", None)
        if self.owner and (closed := first_barred_folder(data, self.owner)):
            raise GitError(f"the sandbox's user {self.owner.uid} can't enter {closed}; chmod o+x it, or move the data")
        self._session = ProcessFolder(data / "trees", self.owner)
        self._bases = Bases(data, self._session, min_free)
        self.environments = Environments(data, self._session)
        self._copies = Copies(self._session, self.owner)
        self._wave = threading.BoundedSemaphore(WAVE)

    def close(self) -> None:
        """Removes this process's folder, including worktrees in use, and releases its lock."""
        self._session.close()

    def mirror(self, slug: str) -> Git:
        """Opens the store of the repository `owner/name`; creates it if needed. The caller closes it."""
        return Git.open(self.data / "mirrors" / f"{safe(slug)}.git")

    async def base(self, run_id: str, git: Git, tree: str, apart: bool = False) -> Path:
        """The run's checkout of `tree`; made only once, even by several processes. `apart`: no command of the run can
        write to it, so it may share files with other such bases. Raises DiskFull, GitError."""
        files = await run_to_end(self._bases.make, run_id, git, tree, apart)
        if self.clone is not None:
            await run_to_end(date_like, files, self.clone.root)
        return files

    @asynccontextmanager
    async def worktree(
        self, run_id: str, name: str, git: Git, tree: str, layered: bool = False, reuse: bool = False
    ) -> AsyncIterator[Worktree]:
        """Makes a worktree of `tree` for the block and always removes it afterwards.

        It starts from the run's base where there is one, with everything installed there. `layered`: it may consist of
        layers, with only the changes of its own, because the sandbox supports them or no command will run in it.
        `reuse`: a copy may be reused, because no process that could write to it outlives the block. Raises DiskFull,
        GitError.
        """
        folder = self._session.place(f"{safe(run_id)}-{safe(name)}")
        with ExitStack() as held:
            try:
                worktree = await run_to_end(self._make, folder, run_id, git, tree, layered, reuse, held)
                yield worktree
                await run_to_end(self._copies.give_back, folder)
            finally:
                await run_to_end(remove_tree, folder)

    def sweep(self) -> tuple[str, ...]:
        """Removes what dead processes left; returns the names of the removed folders. Call it at startup."""
        return self._session.sweep()

    def clean(self, max_age: timedelta, max_bytes: int, now: datetime) -> tuple[str, ...]:
        """Removes bases not used for `max_age`, then the least recently used until the rest is within `max_bytes`; the
        same for environments. Those in use are kept. Returns the names of the removed ones."""
        return (*self._bases.clean(max_age, max_bytes, now), *self.environments.clean(max_age, max_bytes, now))

    def _make(
        self, folder: Path, run_id: str, git: Git, tree: str, layered: bool, reuse: bool, held: ExitStack
    ) -> Worktree:
        tree = git.tree_of(tree)
        with self._wave:
            base = self._bases.nearest(run_id, tree, held)
            changes = _edits(git, base.tree, tree) if base else None
            with disk_full():
                if base is None or changes is None:
                    make_passage_folder(folder, self.owner)
                    check_room(self.data, 0, self.min_free)
                    return self._fresh(folder, git, tree)
                worktree = (
                    self._over(folder, git, base, tree) if layered else self._copy(folder, git, base, tree, reuse)
                )
                if base.tree != tree:
                    worktree.write(changes, git.modes(tree, changes))
                    if base.objects:
                        git.move_git(base.tree, tree, worktree.root, base.files, self.owner)
                return worktree

    def _fresh(self, folder: Path, git: Git, tree: str) -> Worktree:
        root, objects = folder / "files", folder / "objects"
        skipped = git.checkout(tree, root, self.owner)
        if not git.share(tree, objects):
            return Worktree(root, git, tree, self.owner, skipped=skipped)
        git.add_git(tree, root, objects, self.owner)
        return Worktree(root, git, tree, self.owner, skipped=skipped, readable=(objects,))

    def _over(self, folder: Path, git: Git, base: Base, tree: str) -> Worktree:
        make_passage_folder(folder, self.owner)
        check_room(self.data, 0, self.min_free)
        below = (self._mask, self.clone.root) if self.clone and self._marks is KERNEL else ()
        layers = Layers(base.files, folder / "work", folder / "joined", below=below, marks=self._marks)
        for path in (folder / "files", layers.work, layers.joined):
            create_folder(None, path, self.owner)
        return self._on(base, git, tree, folder / "files", layers)

    def _copy(self, folder: Path, git: Git, base: Base, tree: str, reuse: bool) -> Worktree:
        reuse = reuse and self._detects_changes
        if not (reuse and self._copies.take(base, folder)):
            make_passage_folder(folder, self.owner)
            self._make_room(_size_of_copy(base.files))
            copy_tree(base.files, folder / "files", self.owner)
            if reuse:
                self._copies.note(base, folder)
        return self._on(base, git, tree, folder / "files", None)

    def _on(self, base: Base, git: Git, tree: str, root: Path, layers: Layers | None) -> Worktree:
        readable = (base.objects,) if base.objects else ()
        return Worktree(
            root,
            git,
            tree,
            self.owner,
            layers=layers,
            base_tree=base.tree,
            readable=readable,
            skipped=base.skipped,
        )

    def _make_room(self, needed: int) -> None:
        """Checks for room, and drops the spare copies if there is none. Raises DiskFull if that doesn't free enough."""
        try:
            check_room(self.data, needed, self.min_free)
        except DiskFull:
            self._copies.drop()
            check_room(self.data, needed, self.min_free)

    @cached_property
    def _mask(self) -> Path:
        """The layer that hides the parts of the clone that no worktree may show."""
        assert self.clone is not None, "there is something to hide only where a clone lies below"
        mask = self._session.place("mask")
        make_passage_folder(mask, self.owner)
        hide(self.clone, mask)
        return mask

    @cached_property
    def _detects_changes(self) -> bool:
        """Whether this disk lets us detect what was changed in a copy."""
        return detects_changes(self._session.folder())

    @cached_property
    def _marks(self) -> Marks:
        """The overlay marks that this disk supports."""
        with opened(self._session.folder()) as fd:
            return KERNEL if marks_work(fd) else PLAIN


@lru_cache(maxsize=256)
def _size_of_copy(base: Path) -> int:
    """The bytes that a copy of the base takes; cached, since bases are never written to."""
    return size_of(base, size_of_copy)


def _edits(git: Git, before: str, after: str) -> dict[str, bytes | None] | None:
    """The edits that lead from one tree to the other; None where edits can't express the change."""
    try:
        return {path: new for path, (_, new) in git.changed(before, after).items()}
    except NotEditable:
        return None
