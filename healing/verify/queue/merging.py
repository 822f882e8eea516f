"""Merges one entry into the integration branch: merged, there already, or a conflict with everything needed to resolve
it.

A base that has moved on doesn't come back to the agent: what its commits change is carried over to the branch's tip by
our own three-way merge, and only conflicts are returned.
"""

import os
from dataclasses import dataclass
from datetime import UTC, datetime

from healing.git.branches import Branches
from healing.verify.queue.session import Agent, Handback

MAX_TEXT = 64 << 10  # bytes of one side of a conflict that are shown; git has the rest
MAX_ALL = 1 << 20  # bytes of all sides together
MAX_FILES = 50  # files of a conflict that are shown in full
MAX_NAMED = 1000


@dataclass(frozen=True)
class MergeCommit:
    """The merge commit; nothing points to it yet. `new` False: the branch already has the entry's commits."""

    commit: str
    new: bool = True


def merge_agent(branches: Branches, ours: str, agent: Agent) -> MergeCommit | Handback:
    """Merges the agent's commit into `ours`. The same entry on the same commit gives the same result.

    Raises GitError if its history or objects can't be merged at all.
    """
    assert agent.tip is not None
    bases = branches.merge_bases(ours, agent.tip)
    if agent.tip in bases:
        return MergeCommit(ours, new=False)
    result = branches.merge(ours, agent.tip)
    if result.tree is None:
        names = tuple(shown_path(conflict.file) for conflict in result.conflicts[:MAX_NAMED])
        return Handback(base=bases[0], ours=ours, theirs=agent.tip, files=names)
    when = datetime.fromtimestamp(agent.enqueued_at or 0, UTC)
    return MergeCommit(branches.merge_commit(result.tree, ours, agent.tip, when))


def conflicting_files(branches: Branches, handback: Handback) -> list[dict[str, object]]:
    """The conflict in full: each file with base and both sides; `ours` is the branch's, `theirs` the agent's. A side is
    null if it has no such file (`there` says which), or if the texts would be too long or are binary."""
    budget = MAX_ALL
    files: list[dict[str, object]] = []
    for conflict in branches.merge(handback.ours, handback.theirs).conflicts[:MAX_FILES]:
        sides = {"base": conflict.base, "ours": conflict.ours, "theirs": conflict.theirs}
        size = sum(min(len(side or b""), MAX_TEXT) for side in sides.values())
        binary = any(b"\0" in (side or b"")[:8000] for side in sides.values())
        full = not binary and size <= budget
        budget -= size if full else 0
        cut = not full or any(len(side or b"") > MAX_TEXT for side in sides.values())
        texts = {name: _text(side) if full else None for name, side in sides.items()}
        there = {name: side is not None for name, side in sides.items()}
        files.append({"file": shown_path(conflict.file), **texts, "there": there, "binary": binary, "cut": cut})
    return files


def _text(side: bytes | None) -> str | None:
    return None if side is None else side[:MAX_TEXT].decode("utf-8", "replace")


def shown_path(path: str) -> str:
    """A path as text that every encoder accepts: bytes that aren't UTF-8 are escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
