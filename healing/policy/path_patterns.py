"""Patterns of paths as `.github/heal.yml` has them: `docs/`, `*.md`, `src/**/generated.py`."""

from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import AfterValidator, StringConstraints


def _inside(pattern: str) -> str:
    if "\\" in pattern or ".." in pattern.split("/") or not pattern.strip("/"):
        raise ValueError("must be a pattern for paths inside the repository, with forward slashes")
    return pattern


PathPattern = Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(_inside)]
MEANING = (
    "`*` and `?` stay inside a name, `**` doesn't; a pattern without a slash fits names in every folder, one that ends "
    "in a slash everything below."
)


def listed(value: object) -> object:
    """YAML's lists as tuples, which are frozen."""
    return tuple(value) if isinstance(value, list) else value


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern stands for a whole name with slashes, as GitHub's filters of branches do."""
    return _fits(tuple(pattern.split("/")), tuple(name.split("/")))


def fits(pattern: str, path: str) -> bool:
    """Whether a pattern names a file."""
    parts = pattern.strip("/").split("/") + (["**"] if pattern.endswith("/") else [])
    if "/" not in pattern.rstrip("/"):
        parts.insert(0, "**")
    return _fits(tuple(parts), tuple(path.split("/")))


def _fits(parts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """By a walk that never looks at the same place twice: which numbers of names the parts so far can stand for."""
    reached = {0}
    for part in parts:
        if part == "**":
            reached = set(range(min(reached), len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and fnmatchcase(names[at], part)}
        if not reached:
            return False
    return len(names) in reached
