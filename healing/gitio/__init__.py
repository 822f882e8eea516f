"""All of git: the only package that imports dulwich. Bare stores, trees as values, checkouts that run nothing."""

from healing.gitio.checkout import Twin
from healing.gitio.errors import DiskFull, GitError, NotEditable, RefMoved, Skipped, Unreachable, UnsafePath
from healing.gitio.store import Git, Merged
from healing.gitio.view import GitView
from healing.merge import Conflict

__all__ = [
    "Conflict",
    "DiskFull",
    "Git",
    "GitError",
    "GitView",
    "Merged",
    "NotEditable",
    "RefMoved",
    "Skipped",
    "Twin",
    "Unreachable",
    "UnsafePath",
]
