"""One bare repository on disk: all of Heal's git operations, on dulwich's object layer.

No git binary, no hooks, no outside configuration. Synchronous: call it through `asyncio.to_thread`. Thread-safe.
"""

import io
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING

from dulwich.config import StackedConfig
from dulwich.objects import Commit, ObjectID
from dulwich.patch import write_tree_diff
from dulwich.repo import Repo

from healing.edits import merge
from healing.edits.merge import Conflict, Side, TreeEntry
from healing.files.overlay import KERNEL, Marks
from healing.files.removal import remove_tree
from healing.git import laptop
from healing.git.checkout import Twin, check_out
from healing.git.errors import GitError, NotEditable, Skipped
from healing.git.ignore import LITTER
from healing.git.locks import locked
from healing.git.names import checked, hostile_path
from healing.git.objects import Objects
from healing.git.private import add_git, copy_objects, move_git, share_objects
from healing.git.snapshot import take_snapshot
from healing.git.trees import differences, edited, new_in_tree, walk
from healing.git.view import GitView
from healing.process.owner import Owner

if TYPE_CHECKING:
    from healing.git.transport import Transport

NO_MODES: Mapping[str, str] = MappingProxyType({})
VIEWS = 4  # views that are cached
MODES = {"100644": 0o100644, "100755": 0o100755}


@dataclass(frozen=True)
class Merged:
    """A merge's tree, or None and the conflicts by path."""

    tree: str | None
    conflicts: tuple[Conflict, ...] = ()


class Git:
    """One bare repository. Ids are 40 hex digits; a method that takes a tree id takes a commit id too."""

    def __init__(self, objects: Objects, apart: bool = False) -> None:
        """`isolated`: worktrees get only the objects of their own trees, not whole packs."""
        self._objects = objects
        self._apart = apart
        self._views: dict[str, GitView] = {}
        self.path = objects.path

    @classmethod
    def open(cls, path: Path) -> "Git":
        """Opens the repository; creates it if it doesn't exist. Only our user may enter its folder."""
        if not (path / "HEAD").exists():
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(path / "heal.lock"):
                if not (path / "HEAD").exists():
                    _make(path)
        path.chmod(0o700)
        return cls(Objects(path))

    def __enter__(self) -> "Git":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._objects.close()

    def isolated(self) -> "Git":
        """The same repository, for worktrees whose git may read only their own tree."""
        return Git(self._objects, apart=True)

    def fetch(self, transport: "Transport", wants: Iterable[str], depth: int | None = 1) -> None:
        """Fetches whole commits by id, with `depth` generations (None: all); those that are here aren't requested
        again.

        Raises GitError where the remote has no such commit or can't be reached.
        """
        from healing.git import fetching

        fetching.fetch(self._objects, transport, wants, depth)

    def fetch_files(self, transport: "Transport", commit: str, wanted: Callable[[str], bool]) -> None:
        """Fetches one commit by id with all its folders and at least those files whose path is wanted; all files where
        the remote supports no filter. The others can't be read. Raises GitError as `fetch` does."""
        from healing.git import fetching

        fetching.fetch_files(self._objects, transport, commit, wanted)

    def push(self, transport: "Transport", ref: str, tip: str | None, expected: str | None) -> None:
        """Sets a remote ref from `expected` (None: doesn't exist) to `tip` (None: deletes it), or raises RefMoved."""
        from healing.git import pushing

        pushing.push(self._objects, transport, ref, tip, expected)

    def has(self, sha: str) -> bool:
        """Whether the object is here."""
        return self._objects.has(sha)

    def has_whole(self, commit: str) -> bool:
        """Whether the commit is here with all its files."""
        from healing.git import fetching

        return fetching.is_whole(self._objects, commit)

    def has_files(self, commit: str, wanted: Callable[[str], bool]) -> bool:
        """Whether the commit is here with all of its wanted files."""
        from healing.git import fetching

        return self.has_whole(commit) or (self.has(commit) and not any(fetching.absent(self._objects, commit, wanted)))

    def tree_of(self, commit: str) -> str:
        """The commit's tree. Raises GitError where the commit isn't here."""
        return self._objects.root(commit)

    def parents(self, commit: str) -> tuple[str, ...]:
        """The commit's parents; after a shallow fetch they may not be here."""
        return tuple(parent.decode() for parent in self._objects.commit(commit).parents)

    def message(self, commit: str) -> str:
        """The commit's message."""
        return str(self._objects.commit(commit).message.decode("utf-8", "replace"))

    def view(self, tree: str) -> GitView:
        """The tree's regular files as a healing.view.TreeView; `.rejected` lists what it leaves out."""
        root = self._objects.root(tree)
        view = self._views.pop(root, None) or GitView(self._objects, root)
        # Listing many files takes a while, and a run reads the same few trees repeatedly.
        self._views[root] = view
        for old in list(self._views)[:-VIEWS]:
            self._views.pop(old, None)
        return view

    def write_tree(
        self, base_tree: str, changes: Mapping[str, bytes | None], modes: Mapping[str, str] = NO_MODES
    ) -> str:
        """The tree with these files set or (None) deleted. A file keeps its exec bit unless `modes` sets it.

        Raises UnsafePath for hostile paths and folders in the way, NotEditable for symlinks and submodules.
        """
        base = self._objects.root(base_tree)
        entries: dict[bytes, TreeEntry | None] = {}
        for path, data in changes.items():
            raw = checked(path)
            if data is None:
                entries[raw] = None
                continue
            old = self._entry(base, raw)
            mode = MODES[modes[path]] if path in modes else old.mode if old and old.regular else 0o100644
            if old and not old.regular and not old.folder:
                raise NotEditable(f"{path} is a symlink or a submodule; only regular files can be edited")
            entries[raw] = TreeEntry(mode, self._objects.add_blob(data))
        return edited(self._objects, base, entries)

    def without(self, tree: str, closed: Callable[[str], bool]) -> str:
        """The tree without the files, symlinks and submodules whose path is closed, and without entries that are never
        checked out. The same tree where no path is closed."""
        root, rejected = self._objects.root(tree), list[tuple[bytes, str]]()
        gone = [path for path, _ in walk(self._objects, root, rejected) if closed(path.decode("utf-8", "replace"))]
        if not gone:
            return root
        return edited(self._objects, root, dict.fromkeys([*gone, *(path for path, _ in rejected)]))

    def _entry(self, tree: str, path: bytes) -> TreeEntry | None:
        entry: TreeEntry | None = TreeEntry(0o040000, tree)
        for name in path.split(b"/"):
            entry = self._objects.tree(entry.sha).get(name) if entry and entry.folder else None
        return entry

    def commit(self, tree: str, parents: Iterable[str], message: str, author: str, when: datetime) -> str:
        """Makes a commit by `Name <mail>`; the same arguments give the same id. Raises GitError without a time zone."""
        offset = when.utcoffset()
        if offset is None:
            raise GitError("a commit's time needs a time zone")
        commit = Commit()
        commit.tree = ObjectID(self._objects.root(tree).encode())
        commit.parents = [ObjectID(parent.encode()) for parent in parents]
        commit.author = commit.committer = author.replace("\n", " ").replace("\0", "").encode()
        commit.author_time = commit.commit_time = int(when.timestamp())
        commit.author_timezone = commit.commit_timezone = int(offset.total_seconds())
        commit.message = message.replace("\0", "").encode("utf-8", "replace")
        return self._objects.add_object(commit)

    def checkout(
        self, tree: str, dest: Path, owner: Owner | None = None, twin: Twin | None = None
    ) -> tuple[Skipped, ...]:
        """Writes the tree to `dest`, which must not exist; returns what was left out. See healing.git.checkout."""
        return check_out(self._objects, self._objects.root(tree), dest, owner, twin)

    def share(self, tree: str, target: Path) -> bool:
        """Makes a folder through which others may read the tree's objects; see healing.git.private."""
        share = copy_objects if self._apart else share_objects
        return share(self._objects, self._objects.root(tree), target)

    def add_git(self, tree: str, root: Path, shared: Path, owner: Owner | None = None) -> None:
        """Makes a `.git` in a fresh checkout of the tree that borrows from `shared`."""
        add_git(self._objects, self._objects.root(tree), root, shared, owner)

    def move_git(self, before: str, after: str, root: Path, base: Path, owner: Owner | None = None) -> None:
        """Switches the `.git` of `root`, a copy of the checkout `base` or a layer over it, to the tree `after`."""
        move_git(self._objects, self._objects.root(before), self._objects.root(after), root, base, owner)

    def snapshot(
        self,
        tree: str,
        root: Path,
        exclude: tuple[bytes, ...] = (LITTER,),
        lower: Path | None = None,
        marks: Marks = KERNEL,
    ) -> str:
        """The tree of the current contents of `root` (over `lower`); `tree` has the tracked files. See
        healing.git.snapshot."""
        current, _ = take_snapshot(
            self._objects, self._objects.root(tree), root, exclude=exclude, lower=lower, marks=marks
        )
        return current

    def base_commit(self, path: Path, head: str, named: str = "") -> str:
        """See healing.git.laptop."""
        return laptop.base_commit(path, head, named)

    def was_here(self, path: Path, commit: str) -> bool:
        """See healing.git.laptop."""
        return laptop.was_here(path, commit)

    def working_tree(self, path: Path) -> laptop.WorkingTree:
        """Tree (with uncommitted changes) and HEAD of a user's own clone; see healing.git.laptop."""
        return laptop.working_tree(self._objects, path)

    def patch(self, before: str, after: str) -> bytes:
        """The change as `git diff` prints it, byte for byte: what `git apply` takes."""
        roots = self._objects.root(before), self._objects.root(after)
        differences(self._objects, *roots)  # raises if there are too many
        out = io.BytesIO()
        old, new = (ObjectID(root.encode()) for root in roots)
        write_tree_diff(out, self._objects.repo.object_store, old, new)
        return out.getvalue()

    def diff(self, before: str, after: str) -> str:
        """The change as `git diff` prints it, for reading: bytes that aren't UTF-8 are replaced."""
        return self.patch(before, after).decode("utf-8", "replace")

    def changed(self, before: str, after: str) -> dict[str, tuple[bytes | None, bytes | None]]:
        """Old and new bytes of every file that differs; where both are equal, only the mode differs.

        Raises NotEditable where a symlink, a submodule or a hostile name is among them: edits can't express those, and
        without them the result would be wrong.
        """
        changes = differences(self._objects, self._objects.root(before), self._objects.root(after))
        odd = [path for path, pair in changes.items() if hostile_path(path) or not _utf8(path) or not _plain(pair)]
        if odd:
            names = ", ".join(path.decode("utf-8", "replace") for path in sorted(odd)[:5])
            raise NotEditable(f"the change touches symlinks, submodules or unsafe names ({names}); make it by hand")
        return {path.decode(): (self._bytes(old), self._bytes(new)) for path, (old, new) in sorted(changes.items())}

    def modes(self, tree: str, paths: Iterable[str]) -> dict[str, str]:
        """The mode, `100644` or `100755`, of each of these paths that is a regular file."""
        root = self._objects.root(tree)
        entries = {path: self._entry(root, os.fsencode(path)) for path in paths}
        return {path: "100755" if e.mode & 0o100 else "100644" for path, e in entries.items() if e and e.regular}

    def objects_of(self, trees: Iterable[str]) -> dict[str, tuple[int, bytes]]:
        """All objects of these trees, themselves included: id → kind and bytes. Raises GitError if one is missing."""
        seen: set[str] = set()
        roots = [self._objects.root(tree) for tree in trees]
        objects = (each for root in roots for each in new_in_tree(self._objects, root, set(), seen))
        return {sha: (kind, self._objects.raw(sha, kind)) for kind, sha in objects}

    def add_object(self, kind: int, data: bytes) -> str:
        """Stores an object as `objects_of` returns it; returns its id."""
        return self._objects.add(kind, data)

    def _bytes(self, entry: TreeEntry | None) -> bytes | None:
        return None if entry is None else self._objects.blob(entry.sha)

    def merge(self, base: str, ours: str, theirs: str) -> Merged:
        """The three-way merge of trees. Clean only where git's is too; renames aren't followed
        (healing/edits/merge.py)."""
        roots = [self._objects.root(sha) for sha in (base, ours, theirs)]
        left, right = (differences(self._objects, roots[0], side) for side in roots[1:])
        changes, conflicts = merge.merge_trees(left, right, _Trees(self, roots[1], roots[2]))
        if not conflicts:
            return Merged(edited(self._objects, roots[0], changes))
        return Merged(None, tuple(self._conflict(path, *roots) for path in conflicts))

    def _conflict(self, path: bytes, *roots: str) -> Conflict:
        sides = []
        for root in roots:
            entry = self._entry(root, path)
            sides.append(self._bytes(entry) if entry and (entry.regular or entry.link) else None)
        return Conflict(os.fsdecode(path), *sides)


def _make(path: Path) -> None:
    """Creates the repository in a subfolder and moves it out, `HEAD` last: after a kill, the next call starts over."""
    partial = path / "making"
    remove_tree(partial)
    partial.mkdir()
    Repo.init_bare(str(partial), config=StackedConfig([]), default_branch=b"main").close()
    for item in sorted(partial.iterdir(), key=lambda entry: entry.name == "HEAD"):
        remove_tree(path / item.name)
        item.rename(path / item.name)
    partial.rmdir()


def _utf8(path: bytes) -> bool:
    return path.decode("utf-8", "replace").encode() == path


def _plain(pair: tuple[TreeEntry | None, TreeEntry | None]) -> bool:
    return all(entry is None or entry.regular for entry in pair)


class _Trees:
    """The store's operations that a merge needs."""

    def __init__(self, git: Git, ours: str, theirs: str) -> None:
        self.git = git
        self.sides: dict[Side, str] = {"ours": ours, "theirs": theirs}

    def merge_blobs(self, base: str, ours: str, theirs: str) -> str | None:
        objects = self.git._objects
        merged = merge.merge_text(objects.blob(base), objects.blob(ours), objects.blob(theirs))
        return None if merged is None else objects.add_blob(merged)

    def similar(self, left: str, right: str) -> bool:
        objects = self.git._objects
        return merge.similar_texts(objects.blob(left), objects.blob(right))

    def folder(self, side: Side, path: bytes) -> bool:
        entry = self.git._entry(self.sides[side], path)
        return entry is not None and entry.folder
