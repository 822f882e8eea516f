"""What can go wrong with git and files; every message says what happened and what to do, and never holds a secret."""

from dataclasses import dataclass


class GitError(Exception):
    """Git can't do it: an object is missing, a peer refused, a name is hostile."""


class Unreachable(GitError):
    """The other side can't be reached now; later it may be."""


class UnsafePath(GitError):
    """A path that would leave its folder, follow a link, or touch git's own files."""


class NotEditable(GitError):
    """A change that edits can't express: of a symlink, of a submodule, or under a hostile name."""


class RefMoved(GitError):
    """A push found the ref elsewhere than it was expected."""


class DiskFull(GitError):
    """Too little space for another worktree."""


@dataclass(frozen=True)
class Skipped:
    """Something of a tree or a folder that was left out, and why."""

    path: str
    why: str
