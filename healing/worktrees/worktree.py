"""One worktree: files that Heal and commands in the sandbox may change, but never both at once."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from healing.files.overlay import KERNEL
from healing.git import Git, Skipped
from healing.git.layered import Folder
from healing.git.store import NO_MODES
from healing.process.owner import Owner
from healing.sandbox.job import Job
from healing.sandbox.layers import Layers
from healing.worktrees.clone import date_after


class Worktree:
    """A folder with the files of `tree`; with `layers`, only the differences from them. Synchronous; paths can't lead
    out of it. `readable` are the folders from which its `.git` reads objects."""

    def __init__(
        self,
        root: Path,
        git: Git,
        tree: str,
        owner: Owner | None,
        *,
        layers: Layers | None = None,
        base_tree: str = "",
        readable: tuple[Path, ...] = (),
        skipped: tuple[Skipped, ...] = (),
    ) -> None:
        self.root = root
        self.tree = tree
        self.base_tree = base_tree or tree  # the tree of the base that it was made from
        self.layers = layers
        self.readable = readable
        self.skipped = skipped  # entries of the tree that are not on disk, and why
        self._git = git
        self._over = (layers.lower, layers.marks) if layers else (None, KERNEL)
        self._folder = Folder(root, owner, *self._over)

    def read(self, path: str) -> bytes | None:
        """The file's current bytes; None where there is no regular file that can be reached without following a link.

        Raises UnsafePath for a hostile path.
        """
        return self._folder.read(path)

    def write(self, changes: Mapping[str, bytes | None], modes: Mapping[str, str] = NO_MODES) -> None:
        """Writes these files, or (None) deletes them. A file keeps its exec bit unless `modes` sets it.

        Raises UnsafePath for hostile paths and where links or folders are in the way; earlier files remain written.
        """
        for path, data in changes.items():
            if data is None:
                self._folder.remove(path)
        for path, data in changes.items():
            if data is not None:
                self._folder.write(path, data, modes[path] == "100755" if path in modes else None)
        if self.layers and self.layers.below:
            date_after(self.root, self.layers.below[-1], (path for path, data in changes.items() if data is not None))

    def snapshot(self) -> str:
        """The id of the tree of the current files; see healing.git.snapshot."""
        lower, marks = self._over
        return self._git.snapshot(self.tree, self.root, lower=lower, marks=marks)

    def adapt_job(self, job: Job) -> Job:
        """The job, with root, layers and readable folders set to this worktree's."""
        return replace(job, root=self.root, layers=self.layers, readable=(*job.readable, *self.readable))
