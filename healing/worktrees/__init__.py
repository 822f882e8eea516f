"""Where repositories lie on disk: one mirror each, one base per run, and a short-lived worktree for every try.

    data/mirrors/<repository>.git      bare, ours alone (0700): the sandbox's user can't enter
    data/bases/<run id>-<tree>/files   one checkout per run, never written to once it is there; `clean` removes it
    data/bases/<run id>-<tree>/objects what its `.git` reads its objects through, see healing.git.private
    data/trees/<process>/<name>/files  a worktree, gone when its `async with` ends
    data/trees/<process>.lock          held (flock) while that process lives: `sweep` removes what a dead one left

A worktree is *layered* where that can be: `files` then holds only what is different from the base, and the two are
mounted together by the sandbox for one command at a time. Else it is *whole*: a copy of the base with the difference
written into it; a few copies are kept while the process lives, and used again when what a command did to them was
undone (copies.py). An agent that only edits has a layered one wherever it runs, since nothing is ever mounted for it.
"""

from healing.worktrees.room import MIN_FREE
from healing.worktrees.worktree import Worktree
from healing.worktrees.worktrees import Worktrees

__all__ = ["MIN_FREE", "Worktree", "Worktrees"]
