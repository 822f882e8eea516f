"""Repositories on disk: one mirror per repository, one base per run, and a short-lived worktree for every attempt.

    data/mirrors/<repository>.git      bare, mode 0700: the sandbox's user can't enter it
    data/bases/<run id>-<tree>/files   one checkout per run, never written to once complete; `clean` removes it
    data/bases/<run id>-<tree>/objects the objects that its `.git` reads, see healing.git.private
    data/trees/<process>/<name>/files  a worktree, removed when its `async with` ends
    data/trees/<process>.lock          held (flock) while that process lives: `sweep` removes what a dead one left

A worktree is *layered* where possible: `files` has only the differences from the base, and the sandbox mounts the two
together for one command at a time. Otherwise it is *whole*: a copy of the base with the differences written into it. A
few copies are kept while the process lives, and reused once a command's changes to them are undone (copies.py). An
agent that only edits always gets a layered one, since nothing is ever mounted for it.
"""

from healing.worktrees.room import MIN_FREE
from healing.worktrees.worktree import Worktree
from healing.worktrees.worktrees import Worktrees

__all__ = ["MIN_FREE", "Worktree", "Worktrees"]
