"""The exceptions of git and file operations. Every message states what happened and what to do, without secrets."""

from dataclasses import dataclass


class GitError(Exception):
    """A git operation failed: an object is missing, a remote refused, a name is hostile."""


class Unreachable(GitError):
    """The remote can't be reached at the moment; a retry may succeed."""


class UnsafePath(GitError):
    """A path that would leave its folder, follow a symlink, or touch git's own files."""


class NotEditable(GitError):
    """A change that edits can't express: to a symlink, to a submodule, or under a hostile name."""


class RefMoved(GitError):
    """A ref is not at the commit where it was expected."""


class DiskFull(GitError):
    """There is too little disk space for another worktree."""


@dataclass(frozen=True)
class Skipped:
    """An entry of a tree or a folder that was left out, and why."""

    path: str
    why: str
