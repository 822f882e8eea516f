"""What an agent may touch: its own worktree, and the one door through which a fix leaves it."""

from typing import Literal, Protocol

from pydantic import model_validator

from healing.agents.fences import UNSEEN
from healing.agents.unsent import closed_by_name
from healing.edits import Changes
from healing.model import Candidate, Frozen, Proposal


class Outside(Exception):
    """A path that an agent may not touch; the message says why and what to name instead."""


class Workspace(Protocol):
    """One agent's worktree of the base. Paths are repo-relative POSIX, already checked by `confined`."""

    async def read(self, path: str) -> bytes | None:
        """The file's bytes; None where there is no regular file or a link is on the way."""
        ...

    async def write(self, changes: Changes) -> None:
        """Writes files (None: removes). Raises Outside where a link is on the way; then nothing was written."""
        ...

    async def paths(self) -> tuple[str, ...]:
        """Every regular file, sorted."""
        ...

    async def tree(self) -> str:
        """The id of the tree as it is now, changes included."""
        ...

    async def renew(self) -> None:
        """Moves on to the base with everything that was accepted meanwhile; what was changed here must be put back."""
        ...

    async def run_check(self, error_ids: tuple[str, ...]) -> str:
        """Runs the narrowed check of these errors on the tree as it is: exit code and bounded output."""
        ...

    async def run_step(self, label: str) -> str:
        """Runs every step of CI with this label, whole, on the tree as it is: exit code and bounded output."""
        ...

    async def run_command(self, argv: tuple[str, ...], folder: str) -> str:
        """Runs an allowed command in a folder of a copy of the tree as it is: exit code and bounded output."""
        ...


class Verdict(Frozen):
    """The door's answer to a candidate: `accepted` with the proposal that it proved, or why not in `message`.
    `conflict`: it does not go together with what was accepted meanwhile; it may be made `again` on that, or is `over`.
    `still` is what the errors reported after the edits, where they were tried; `worse`: there were more errors by over
    a half then. `already_fixed`: accepted fixes have fixed these errors, and it would add nothing. Nothing in it
    is what a check printed where files of the repository are closed to models."""

    accepted: bool
    proposal: Proposal | None = None
    message: str = ""
    conflict: Literal["", "again", "over"] = ""
    still: tuple[str, ...] = ()
    worse: bool = False
    already_fixed: bool = False

    @model_validator(mode="after")
    def _proven(self) -> "Verdict":
        if self.accepted != (self.proposal is not None):
            raise ValueError("a verdict is accepted with its proposal, or refused without one")
        return self


class CandidateDoor(Protocol):
    """The one way out for every fix. Answers the same on a replay: what it runs are durable steps."""

    async def submit(self, candidate: Candidate) -> Verdict:
        """Judges the candidate's edits on a clean tree of the base, and takes them in where they hold."""
        ...

    async def prove(self, candidate: Candidate) -> Verdict:
        """Judges as `submit` does, and takes nothing in."""
        ...

    async def fixed(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Which of these errors are gone by now, with everything that is accepted. Unlike a verdict it may say
        something else in a further life of the run."""
        ...


def _is_gits(part: str) -> bool:
    """Whether git, or a file system somewhere else, takes the name for `.git`: hidden characters, dots and spaces at
    the end, streams, short names and case don't count there."""
    bare = UNSEEN.sub("", part).partition(":")[0].rstrip(". ").lower()
    return bare in (".git", "git~1")


def confined(path: str) -> str:
    """The path if an agent may name it. Raises Outside for what leaves the repository or could hold its secrets."""
    parts = path.split("/")
    if not path or len(path) > 1024 or path.startswith("/") or "\\" in path or "\0" in path:
        raise Outside(f"{path!r:.80} is not a path inside the repository; name it relative to its root, like src/a.py")
    if any(part in ("", ".", "..") or len(part.encode("utf-8", "replace")) > 255 for part in parts):
        raise Outside(f"{path!r:.80} is not a plain path; leave out '.', '..', empty and endless parts")
    if any(map(_is_gits, parts)) or closed_by_name(path):
        raise Outside(f"{path!r:.80} may hold secrets or git's own data and is closed to agents; work on source files")
    return path
