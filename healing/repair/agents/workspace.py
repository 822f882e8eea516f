"""An agent's own worktree, and which paths an agent may name."""

from typing import Protocol

from healing.edits.exact import Changes
from healing.model import Proposal
from healing.policy.unsent import closed_by_name
from healing.repair.agents.fences import UNSEEN


class PathNotAllowed(Exception):
    """A path that an agent may not touch; the message says why and what to name instead."""


class Workspace(Protocol):
    """One agent's worktree of the base. Paths are repo-relative POSIX, already checked by `confined`."""

    async def read(self, path: str) -> bytes | None:
        """The file's bytes; None where there is no regular file, or where a symlink is in its path."""
        ...

    async def write(self, changes: Changes) -> None:
        """Writes files (None: removes). Raises PathNotAllowed where a symlink is in a path, with nothing
        written."""
        ...

    async def paths(self) -> tuple[str, ...]:
        """Every regular file, sorted."""
        ...

    async def tree(self) -> str:
        """The id of the current tree, changes included."""
        ...

    async def renew(self) -> None:
        """Moves to the base with everything that was accepted meanwhile; changes must be reset before."""
        ...

    async def take(self, proposal: Proposal) -> bool:
        """Moves to the base with an accepted fix of this agent in it; changes must be reset before. False where the two
        conflict: then nothing has changed."""
        ...

    async def restart(self) -> None:
        """Returns to the base without what `take` added; changes must be reset before."""
        ...

    async def run_check(self, error_ids: tuple[str, ...]) -> str:
        """Runs the narrowed check of these errors on the current tree: exit code and bounded output."""
        ...

    async def run_step(self, label: str) -> str:
        """Runs every CI step with this label, whole, on the current tree: exit code and bounded output."""
        ...

    async def run_command(self, argv: tuple[str, ...], folder: str) -> str:
        """Runs an allowed command in a folder of a copy of the current tree: exit code and bounded output."""
        ...


def _is_gits(part: str) -> bool:
    """Whether git, or some file system, treats the name as `.git`: invisible characters, trailing dots and spaces,
    streams, short names and case are ignored there."""
    bare = UNSEEN.sub("", part).partition(":")[0].rstrip(". ").lower()
    return bare in (".git", "git~1")


def confined(path: str) -> str:
    """The path if an agent may name it. Raises PathNotAllowed for paths that leave the repository or could
    contain secrets."""
    parts = path.split("/")
    if not path or len(path) > 1024 or path.startswith("/") or "\\" in path or "\0" in path:
        raise PathNotAllowed(
            f"{path!r:.80} is not a path inside the repository; name it relative to its root, like src/a.py"
        )
    if any(part in ("", ".", "..") or len(part.encode("utf-8", "replace")) > 255 for part in parts):
        raise PathNotAllowed(f"{path!r:.80} is not a plain path; leave out '.', '..', empty and endless parts")
    if any(map(_is_gits, parts)) or closed_by_name(path):
        raise PathNotAllowed(
            f"{path!r:.80} may hold secrets or git's own data and is closed to agents; work on source files"
        )
    return path
