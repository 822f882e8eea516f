"""Git access; the only package that imports dulwich. Bare stores, trees as values, checkouts that execute nothing."""

from healing.edits.merge import Conflict
from healing.git.checkout import Twin
from healing.git.errors import DiskFull, GitError, NotEditable, RefMoved, Skipped, Unreachable, UnsafePath
from healing.git.store import Git, Merged
from healing.git.view import GitView

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
