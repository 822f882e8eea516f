"""Stores the working tree of a user's own clone as a tree in our store, without writing into the clone."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

from dulwich.errors import ChecksumMismatch, NotGitRepository
from dulwich.graph import find_merge_base
from dulwich.index import Index, IndexEntry, UnsupportedIndexFormat
from dulwich.objects import Commit, ObjectID, Tag
from dulwich.objectspec import parse_commit
from dulwich.refs import Ref
from dulwich.repo import Repo

from healing.edits.merge import TreeEntry
from healing.git.errors import GitError, Skipped
from healing.git.ignore import LITTER
from healing.git.objects import Objects
from healing.git.snapshot import PersonsFolder, take_snapshot
from healing.git.trees import edited

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
SKIP_WORKTREE = 0x4000
# Refs that may be the default branch, the most reliable first.
DEFAULT_BRANCHES = (
    *(b"refs/remotes/upstream/HEAD", b"refs/remotes/origin/HEAD", b"refs/remotes/origin/main"),
    *(b"refs/remotes/origin/master", b"refs/heads/main", b"refs/heads/master"),
)


class WorkingTree(NamedTuple):
    """What lies in a clone: the tree of its files, the commit at its HEAD, and what was left out of the tree."""

    tree: str
    head: str
    left_out: tuple[Skipped, ...]


def working_tree(objects: Objects, path: Path) -> WorkingTree:
    """The tree that `git add --all` would make of the clone around `path`, without untracked files over MAX_FILE (build
    products, data).

    Unchanged files are recognized by git's index, so their line endings and LFS pointers are as committed: a clean
    working tree gives its commit's tree. Our store borrows the clone's objects. Raises GitError where there is no
    clone, no commit yet, or no working tree.
    """
    try:
        clone = Repo.discover(str(path))
    except NotGitRepository:
        raise GitError(f"{path} is not inside a git repository; run Heal in a clone") from None
    with clone:
        if clone.bare:
            raise GitError(f"{path} is a bare repository; run Heal in a clone with files")
        if _object_format(clone) != b"sha1":
            raise GitError(f"{path} names its objects by SHA-256; Heal reads repositories with SHA-1 only")
        try:
            head = clone.head().decode()
        except KeyError:
            raise GitError(f"{path} has no commit yet; commit something first") from None
        borrow(objects, Path(clone.object_store.path))
        index_path = Path(clone.index_path())
        tracked, absent, known = _read_index(index_path)
        tree = edited(objects, objects.add_tree({}), tracked)
        root = Path(os.path.realpath(clone.path))
        excludes = (LITTER, *_own_excludes(clone))
    stamp = index_path.stat().st_mtime_ns if index_path.exists() else 0
    trust = _Trust(known, stamp)
    working, left_out = take_snapshot(objects, tree, root, exclude=excludes, persons=PersonsFolder(trust, absent))
    return WorkingTree(working, head, left_out)


def borrow(objects: Objects, store: Path) -> None:
    """Lets our store read the objects of another one, through git's `alternates`."""
    alternates = objects.path / "objects" / "info" / "alternates"
    line = str(store.resolve())
    if not alternates.exists() or os.fsencode(line) not in alternates.read_bytes().splitlines():
        objects.repo.object_store.add_alternate_path(line)


def _read_index(path: Path) -> tuple[dict[bytes, TreeEntry | None], frozenset[bytes], dict[bytes, IndexEntry]]:
    """Tracked entries by path, the paths that a sparse checkout leaves out, and the index entries by path."""
    if not path.exists():
        return {}, frozenset(), {}
    try:
        index = Index(str(path))
    except (ChecksumMismatch, UnsupportedIndexFormat, AssertionError, ValueError) as error:
        raise GitError(
            f"git's index {path} can't be read ({type(error).__name__}); where it is split or sparse, make it whole: "
            "git update-index --no-split-index, git sparse-checkout reapply --no-sparse-index"
        ) from None
    entries: dict[bytes, IndexEntry] = {name: entry for name, entry in index.items() if isinstance(entry, IndexEntry)}
    tracked: dict[bytes, TreeEntry | None] = {
        name: TreeEntry(entry.mode, entry.sha.decode()) for name, entry in entries.items()
    }
    absent = frozenset(name for name, entry in entries.items() if entry.extended_flags & SKIP_WORKTREE)
    return tracked, absent, entries


def _object_format(clone: Repo) -> bytes:
    try:
        return clone.get_config().get((b"extensions",), b"objectformat").lower()
    except KeyError:
        return b"sha1"


def _own_excludes(clone: Repo) -> list[bytes]:
    """The contents of the user's own ignore files, lowest precedence first."""
    config = clone.get_config_stack()
    try:
        ours = Path(os.fsdecode(config.get((b"core",), b"excludesfile"))).expanduser()
    except KeyError:
        ours = Path(os.environ.get("XDG_CONFIG_HOME", "~/.config")).expanduser() / "git" / "ignore"
    files = [ours, Path(clone.commondir()) / "info" / "exclude"]
    return [file.read_bytes() for file in files if file.is_file()]


class _Trust:
    """Takes a file for unchanged if its stat is the one in git's index and its mtime is older than the index file."""

    def __init__(self, known: dict[bytes, IndexEntry], stamp: int) -> None:
        self.known = known
        self.stamp = stamp

    def __call__(self, path: bytes, status: os.stat_result) -> TreeEntry | None:
        entry = self.known.get(path)
        if entry is None or not stat.S_ISREG(entry.mode) or entry.size != status.st_size & 0xFFFFFFFF:
            return None
        noted = _nanoseconds(entry.mtime)
        if noted != status.st_mtime_ns or noted >= self.stamp or entry.ino != status.st_ino & 0xFFFFFFFF:
            return None
        if bool(entry.mode & 0o100) != bool(status.st_mode & 0o100):
            return None
        return TreeEntry(entry.mode, entry.sha.decode())


def _nanoseconds(time: float | tuple[int, int]) -> int:
    return time[0] * 10**9 + time[1] if isinstance(time, tuple) else int(time * 10**9)


def base_commit(path: Path, head: str, named: str = "") -> str:
    """The commit that the work in a clone starts from: the merge base of `head` with the default branch, or with
    `named` (a branch, tag or commit). `head` itself where the default branch is not known or contains it already.

    Raises GitError where this clone has no `named`."""
    with Repo.discover(str(path)) as clone:
        other = _resolved(clone, named) if named else _default_branch(clone)
        if named and other is None:
            raise GitError(f"{named} is no branch, tag or commit of this clone; name one that `git log` knows")
        if other is None or other == head:
            return head
        bases = find_merge_base(clone, [ObjectID(head.encode()), ObjectID(other.encode())])
        return bases[0].decode() if bases else head


def was_here(path: Path, commit: str) -> bool:
    """Whether this commit is in the history of HEAD in the clone around `path`, or was the tip of the branch that is
    checked out, before it was amended or rebased."""
    with Repo.discover(str(path)) as clone:
        head, earlier = ObjectID(clone.head()), ObjectID(commit.encode())
        if head == earlier or earlier in _former_tips(clone):
            return True
        return earlier in clone.object_store and find_merge_base(clone, [head, earlier]) == [earlier]


def _former_tips(clone: Repo) -> set[bytes]:
    """Where the branch that is checked out has been, as git wrote it down; empty for a detached HEAD."""
    branch = clone.refs.get_symrefs().get(Ref(b"HEAD"))
    log = Path(clone.commondir()) / "logs" / os.fsdecode(branch) if branch else None
    if log is None or not log.is_file():
        return set()
    return {line.split(b" ", 2)[1] for line in log.read_bytes().splitlines() if line.count(b" ") > 1}


def _default_branch(clone: Repo) -> str | None:
    """The commit at the upstream's default branch, as last fetched; else at a local branch with a usual name."""
    return next((sha for name in DEFAULT_BRANCHES if (sha := _commit(clone, name))), None)


def _resolved(clone: Repo, named: str) -> str | None:
    raw = os.fsencode(named)
    names = (raw, b"refs/heads/" + raw, b"refs/tags/" + raw, b"refs/remotes/" + raw, b"refs/remotes/origin/" + raw)
    for name in names:
        if sha := _commit(clone, name):
            return sha
    try:
        return parse_commit(clone, raw).id.decode()
    except (KeyError, ValueError):
        return None


def _commit(clone: Repo, ref: bytes) -> str | None:
    try:
        sha = clone.refs[Ref(ref)]
        obj = clone[sha]
        while isinstance(obj, Tag):
            obj = clone[obj.object[1]]
    except (KeyError, ValueError):
        return None
    return obj.id.decode() if isinstance(obj, Commit) else None
