"""Reads the branches of a user's own clone and moves them by compare-and-swap, without executing anything from it.

Index, HEAD and working tree are not touched, so only branches that are not checked out may be moved here.
"""

import heapq
import re
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from dulwich.errors import NotGitRepository
from dulwich.file import FileLocked
from dulwich.objects import Commit, ObjectID
from dulwich.refs import Ref, SymrefLoop, check_ref_format
from dulwich.repo import Repo

from healing.git.errors import GitError, RefMoved
from healing.git.objects import Objects
from healing.git.store import Git, Merged
from healing.git.trees import differences

HEADS = "refs/heads/"
_BRANCH_FILES = ("HEAD", "rebase-merge/head-name", "rebase-apply/head-name")  # in a worktree's git folder
MAX_BRANCH = 200  # bytes; git's own limit is the file system's


KEPT = 200_000  # commits whose parents are remembered
ONE, OTHER, STALE, FOUND = 1, 2, 4, 8


class Lineage(NamedTuple):
    """A commit's time (seconds since the Epoch) and its parents."""

    time: int
    parents: tuple[str, ...]


class Ancestry:
    """Finds the merge bases of commits. The newest commits are visited first, as in git, so that the work grows with
    how far two histories have diverged, not with their length. `lineage` looks one commit up; its results are
    cached."""

    def __init__(self, lineage: Callable[[str], Lineage]) -> None:
        self._lineage = lineage
        self._known: OrderedDict[str, Lineage] = OrderedDict()

    def merge_bases(self, one: str, other: str) -> tuple[str, ...]:
        """The common ancestors that are not ancestors of another common one, sorted."""
        if one == other:
            return (one,)
        common = sorted(self._common(one, other))
        if len(common) < 2:
            return tuple(common)
        # With wrong commit times, an ancestor of another base may have been kept.
        return tuple(sha for sha in common if not any(self._below(sha, each) for each in common if each != sha))

    def _below(self, sha: str, other: str) -> bool:
        return self._common(sha, other) == {sha}

    def _common(self, one: str, other: str) -> set[str]:
        """Flags the commits that each side reaches: one with both flags is a common ancestor, its ancestors are
        stale."""
        flags = {one: ONE, other: OTHER}
        queue = [(-self._of(sha).time, sha) for sha in flags]
        heapq.heapify(queue)
        while any(not flags[sha] & STALE for _, sha in queue):
            _, sha = heapq.heappop(queue)
            colours = flags[sha] & (ONE | OTHER | STALE)
            if colours == ONE | OTHER:
                flags[sha] |= FOUND
                colours |= STALE
            for parent in self._of(sha).parents:
                before = flags.get(parent, 0)
                if before & colours != colours:
                    flags[parent] = before | colours
                    heapq.heappush(queue, (-self._of(parent).time, parent))
        return {sha for sha, flag in flags.items() if flag & FOUND and not flag & STALE}

    def _of(self, sha: str) -> Lineage:
        known = self._known.get(sha)
        if known is None:
            known = self._known[sha] = self._lineage(sha)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return known


def branch_problem(name: str) -> str | None:
    """Why this can't be the name of a branch; None if it can."""
    raw = name.encode("utf-8", "replace")
    if not name or len(raw) > MAX_BRANCH:
        return f"is empty or longer than {MAX_BRANCH} bytes"
    if name.startswith("-") or name in ("HEAD", "@") or not name.isprintable():
        return "is no name that git takes for a branch"
    return None if check_ref_format(Ref(HEADS.encode() + raw)) else "is no name that git takes for a branch"


class Branches:
    """One clone's branches and commits. Synchronous; call it through `asyncio.to_thread`, one call at a time."""

    def __init__(self, common: Path) -> None:
        """Opens the git folder that all worktrees of the clone share. Raises GitError if `common` isn't one."""
        try:
            self._objects = Objects(common)
        except NotGitRepository:
            raise GitError(f"{common} is no git repository; name a clone") from None
        self.path = common
        self.git = Git(self._objects)
        self._ancestry = Ancestry(self._lineage)

    @classmethod
    def of(cls, path: Path) -> "Branches":
        """Opens the clone (or a worktree of it) around `path`. Raises GitError where there is none."""
        try:
            with Repo.discover(str(path)) as clone:
                common = Path(clone.commondir()).resolve()
        except NotGitRepository:
            raise GitError(f"{path} is not inside a git repository; run it in a clone, or name one") from None
        return cls(common)

    def __enter__(self) -> "Branches":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._objects.close()

    def current(self) -> str | None:
        """The branch that the main working tree has checked out; None for a detached HEAD or one that can't be read."""
        try:
            target = self._objects.repo.refs.get_symrefs().get(Ref(b"HEAD"), b"").decode()
        except (OSError, UnicodeDecodeError):
            return None
        return target.removeprefix(HEADS) if target.startswith(HEADS) else None

    def tip(self, branch: str) -> str | None:
        """The commit at the branch; None if there is no such branch. Raises GitError for an invalid name, or where the
        branch can't be read."""
        name = _ref(branch)
        try:
            sha = self._objects.repo.refs[name].decode("ascii", "replace")
        except KeyError:
            return None
        except (SymrefLoop, ValueError, OSError) as error:
            raise GitError(f"the branch {branch} can't be read: {error}") from None
        if not re.fullmatch("[0-9a-f]{40}", sha):
            raise GitError(f"the branch {branch} can't be read: what stands there is no commit id; check the clone")
        return sha

    def remote(self, name: str) -> str:
        """The URL of one of the clone's remotes, as in its config; empty if there is none."""
        try:
            url = self._objects.repo.get_config().get((b"remote", name.encode()), b"url")
        except (KeyError, ValueError, OSError):
            return ""
        return str(url.decode("utf-8", "replace"))

    def move(self, branch: str, new: str, expected: str | None) -> None:
        """Sets the branch from `expected` (None: doesn't exist yet) to `new`. Raises RefMoved, GitError."""
        name, sha = _ref(branch), ObjectID(new.encode())
        refs = self._objects.repo.refs
        try:
            if expected is None:
                done = refs.add_if_new(name, sha)
            else:
                done = refs.set_if_equals(name, ObjectID(expected.encode()), sha)
        except FileLocked:
            raise GitError(f"the branch {branch} is locked by another git process; try again") from None
        except (SymrefLoop, ValueError, OSError) as error:
            raise GitError(f"the branch {branch} can't be set: {error}; is a branch in its way?") from None
        if not done and self.tip(branch) != new:
            raise RefMoved(f"{branch} is {self.tip(branch) or 'gone'}, not {expected or 'new'}")

    def remove(self, branch: str, expected: str) -> bool:
        """Deletes the branch if it is at `expected`, and neither checked out nor being rebased in any worktree. Returns
        whether it was deleted. Raises GitError."""
        name = _ref(branch)
        if name in self._in_use():
            return False
        try:
            return self._objects.repo.refs.remove_if_equals(name, ObjectID(expected.encode()))
        except FileLocked:
            return False
        except (SymrefLoop, ValueError, OSError) as error:
            raise GitError(f"the branch {branch} can't be deleted: {error}") from None

    def _in_use(self) -> set[bytes]:
        """The refs that some worktree has checked out or is rebasing."""
        refs: set[bytes] = set()
        trees = self.path / "worktrees"
        for git_dir in (self.path, *(trees.iterdir() if trees.is_dir() else ())):
            for file in _BRANCH_FILES:
                try:
                    refs.add((git_dir / file).read_bytes()[:5000].removeprefix(b"ref:").strip())
                except OSError:
                    continue
        return refs

    def unlock(self, branch: str) -> bool:
        """Removes the lock that a killed process left on a branch that only Heal moves; returns whether there was
        one."""
        lock = self.path / (_ref(branch).decode() + ".lock")
        existed = lock.is_file()
        lock.unlink(missing_ok=True)
        return existed

    def merge_bases(self, one: str, other: str) -> tuple[str, ...]:
        """The best common ancestors, sorted; several after criss-cross merges, none for unrelated histories."""
        return self._ancestry.merge_bases(one, other)

    def first_parents(self, tip: str, until: str, limit: int = 10_000) -> tuple[str, ...] | None:
        """The commits from `tip` down to `until` (exclusive) along first parents; None if they don't lead there within
        `limit` commits."""
        commits: list[str] = []
        while tip != until:
            parents = self.git.parents(tip) if self.git.has(tip) else ()
            if not parents or len(commits) >= limit:
                return None
            commits.append(tip)
            tip = parents[0]
        return tuple(commits)

    def merge(self, ours: str, theirs: str) -> Merged:
        """The merge of two commits.

        Raises GitError where the histories are unrelated, several merge bases give different results, or an object
        can't be read.
        """
        bases = self.merge_bases(ours, theirs)
        if not bases:
            raise GitError(f"{theirs[:12]} has no commit in common with {ours[:12]}; branch off the integration branch")
        results = [self.git.merge(base, ours, theirs) for base in bases]
        conflicting = next((result for result in results if result.tree is None), None)
        if conflicting is None and len({result.tree for result in results}) > 1:
            raise GitError("the histories cross so that there are several ways to merge; merge the branch by hand")
        return conflicting or results[0]

    def changed_paths(self, before: str, after: str) -> tuple[str, ...]:
        """Paths that differ between two commits, sorted, as text for people and patterns."""
        roots = self.git.tree_of(before), self.git.tree_of(after)
        return tuple(sorted(path.decode("utf-8", "backslashreplace") for path in differences(self._objects, *roots)))

    def merge_commit(self, tree: str, ours: str, theirs: str, when: datetime) -> str:
        """Makes a merge commit of the two, with author and message of `theirs`; the same arguments give the same id.
        Raises GitError without a time zone."""
        like = self._objects.commit(theirs)
        offset = when.utcoffset()
        if offset is None:
            raise GitError("a commit's time needs a time zone")
        commit = Commit()
        commit.tree = ObjectID(tree.encode())
        commit.parents = [ObjectID(ours.encode()), ObjectID(theirs.encode())]
        commit.author, commit.author_time = like.author, like.author_time
        commit.author_timezone, commit.encoding = like.author_timezone, like.encoding
        commit.committer, commit.commit_time = b"Heal <heal@localhost>", int(when.timestamp())
        commit.commit_timezone = int(offset.total_seconds())
        commit.message = like.message
        return self._objects.add_object(commit)

    def _lineage(self, sha: str) -> Lineage:
        if not self._objects.has(sha):
            return Lineage(0, ())  # a shallow clone ends here
        commit = self._objects.commit(sha)
        return Lineage(int(commit.commit_time), tuple(parent.decode() for parent in commit.parents))


class OwnBranches(Branches):
    """A run's branches, kept in memory over a store. Only their commits are on disk, so nothing needs cleanup, and a
    run that is restarted after a kill makes them again."""

    def __init__(self, git: Git) -> None:
        self.git, self.path = git, git.path
        self._objects = git._objects
        self._ancestry = Ancestry(self._lineage)
        self._tips: dict[str, str] = {}

    def close(self) -> None:
        """Does nothing: the store belongs to the caller."""

    def tip(self, branch: str) -> str | None:
        _ref(branch)
        return self._tips.get(branch)

    def move(self, branch: str, new: str, expected: str | None) -> None:
        if self.tip(branch) not in (expected, new):
            raise RefMoved(f"{branch} is {self.tip(branch) or 'gone'}, not {expected or 'new'}")
        self._tips[branch] = new

    def unlock(self, branch: str) -> bool:
        del branch
        return False


def _ref(branch: str) -> Ref:
    if why := branch_problem(branch):
        raise GitError(f"{branch!r} {why}; choose another name")
    return Ref((HEADS + branch).encode())
