"""Autofix, the first free tier: the repo's own tools mend what they can before anything is paid for (AF-1, AF-2)."""

from collections.abc import Iterable

from healing.autofix.black import Black
from healing.autofix.ruff import RuffCheck, RuffFormat
from healing.autofix.runner import Runner

# In the order in which they run: a formatter last, so that what a linter rewrote is formatted too.
RUNNERS: tuple[Runner, ...] = (RuffCheck(), RuffFormat(), Black())


def commit_message(tools: Iterable[str]) -> str:
    """The subject of the commit that holds what `tools` mended: `chore: autofix [black, ruff]`."""
    return f"chore: autofix [{', '.join(sorted(set(tools)))}]"


__all__ = ["RUNNERS", "Runner", "commit_message"]
