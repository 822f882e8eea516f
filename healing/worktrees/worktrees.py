"""Mirrors, bases and worktrees: where all of them are had from."""

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
from healing.git.disk import copy_tree, in_whole, size_of
from healing.git.folder import create_folder, opened
from healing.process.owner import Owner
from healing.sandbox.layers import Layers
from healing.worktrees.bases import Base, Bases
from healing.worktrees.clone import Clone, date_like, hide
from healing.worktrees.copies import Copies, tells_of_changes
from healing.worktrees.environments import Environments
from healing.worktrees.naming import barred, passage, safe
from healing.worktrees.room import MIN_FREE, check_room, disk_full
from healing.worktrees.session import ProcessFolder
from healing.worktrees.threads import to_the_end
from healing.worktrees.worktree import Worktree

WAVE = 10  # worktrees that are made at the same time; the disk is looked at before each


class Worktrees:
    """All folders below `data`. `owner` is who runs commands in worktrees; None: we ourselves."""

    def __init__(
        self, data: Path, owner: Owner | None = None, min_free: int = MIN_FREE, clone: Clone | None = None
    ) -> None:
        """Makes the folders. `clone`: the person's own, on a laptop; what git ignores there is seen in worktrees too,
        below their own files. Raises GitError where `owner` could not reach them."""
        self.data = data
        self.clone = clone
        self.owner = owner if owner and (owner.uid, owner.gid) != (os.geteuid(), os.getegid()) else None
        self.min_free = min_free
        for folder in (data, data / "trees", data / "bases"):
            passage(folder, self.owner)
        passage(data / "mirrors", None)
        if self.owner and (closed := barred(data, self.owner)):
            raise GitError(f"the sandbox's user {self.owner.uid} can't enter {closed}; chmod o+x it, or move the data")
        self._session = ProcessFolder(data / "trees", self.owner)
        self._bases = Bases(data, self._session, min_free)
        self.environments = Environments(data, self._session)
        self._copies = Copies(self._session, self.owner)
        self._wave = threading.BoundedSemaphore(WAVE)

    def close(self) -> None:
        """Removes what this process made and gives its lock back. Worktrees in use go too."""
        self._session.close()

    def mirror(self, slug: str) -> Git:
        """The store of the repository `owner/name`, made where it isn't there. To be closed by the caller."""
        return Git.open(self.data / "mirrors" / f"{safe(slug)}.git")

    async def base(self, run_id: str, git: Git, tree: str, apart: bool = False) -> Path:
        """The run's checkout of `tree`; made at most once, also by several processes. `apart`: no command of the run
        can write to it, so it may share files with others like it. Raises DiskFull, GitError."""
        files = await to_the_end(self._bases.make, run_id, git, tree, apart)
        if self.clone is not None:
            await to_the_end(date_like, files, self.clone.root)
        return files

    @asynccontextmanager
    async def worktree(
        self, run_id: str, name: str, git: Git, tree: str, layered: bool = False, reuse: bool = False
    ) -> AsyncIterator[Worktree]:
        """A worktree of `tree`, removed on every way out. It starts from the run's base where there is one, so what
        was installed there is here too. `layered`: it may be layers, which hold only what is changed, as the sandbox
        takes them or no command will run in it. `reuse`: a copy may be used again, as nothing that could write to it
        lives on afterwards. Raises DiskFull, GitError."""
        folder = self._session.place(f"{safe(run_id)}-{safe(name)}")
        with ExitStack() as held:
            try:
                made = await to_the_end(self._make, folder, run_id, git, tree, layered, reuse, held)
                yield made
                await to_the_end(self._copies.give_back, folder)
            finally:
                await to_the_end(remove_tree, folder)

    def sweep(self) -> tuple[str, ...]:
        """Removes what dead processes left; to be called at start. Gives the names of what it removed."""
        return self._session.sweep()

    def clean(self, max_age: timedelta, max_bytes: int, now: datetime) -> tuple[str, ...]:
        """Removes bases not used for `max_age`, then the longest unused until the rest is within `max_bytes`; the same
        for environments. Those in use stay. Gives the names of what it removed."""
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
                    passage(folder, self.owner)
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
        passage(folder, self.owner)
        check_room(self.data, 0, self.min_free)
        below = (self._mask, self.clone.root) if self.clone and self._marks is KERNEL else ()
        layers = Layers(base.files, folder / "work", folder / "joined", below=below, marks=self._marks)
        for made in (folder / "files", layers.work, layers.joined):
            create_folder(None, made, self.owner)
        return self._on(base, git, tree, folder / "files", layers)

    def _copy(self, folder: Path, git: Git, base: Base, tree: str, reuse: bool) -> Worktree:
        reuse = reuse and self._tells
        if not (reuse and self._copies.take(base, folder)):
            passage(folder, self.owner)
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
        """Raises DiskFull where there is none, with or without the spare copies."""
        try:
            check_room(self.data, needed, self.min_free)
        except DiskFull:
            self._copies.drop()
            check_room(self.data, needed, self.min_free)

    @cached_property
    def _mask(self) -> Path:
        """The layer that hides what of the clone no worktree may show."""
        assert self.clone is not None, "there is something to hide only where a clone lies below"
        mask = self._session.place("mask")
        passage(mask, self.owner)
        hide(self.clone, mask)
        return mask

    @cached_property
    def _tells(self) -> bool:
        """Whether this disk tells what was changed in a copy."""
        return tells_of_changes(self._session.folder())

    @cached_property
    def _marks(self) -> Marks:
        """Those that this disk takes."""
        with opened(self._session.folder()) as fd:
            return KERNEL if marks_work(fd) else PLAIN


@lru_cache(maxsize=256)
def _size_of_copy(base: Path) -> int:
    """Bytes; nobody writes to a base."""
    return size_of(base, in_whole)


def _edits(git: Git, before: str, after: str) -> dict[str, bytes | None] | None:
    """The plain edits that lead from one tree to the other; None where there are none such."""
    try:
        return {path: new for path, (_, new) in git.changed(before, after).items()}
    except NotEditable:
        return None
