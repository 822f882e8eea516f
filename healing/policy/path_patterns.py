"""Path patterns as used in `.github/heal.yml`: `docs/`, `*.md`, `src/**/generated.py`."""

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
    """YAML lists as tuples, which are frozen."""
    return tuple(value) if isinstance(value, list) else value


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern matches a whole name with slashes, as GitHub's branch filters do."""
    return _fits(tuple(pattern.split("/")), tuple(name.split("/")))


def fits(pattern: str, path: str) -> bool:
    """Whether a pattern matches a file."""
    parts = pattern.strip("/").split("/") + (["**"] if pattern.endswith("/") else [])
    if "/" not in pattern.rstrip("/"):
        parts.insert(0, "**")
    return _fits(tuple(parts), tuple(path.split("/")))


def _fits(parts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether the parts of a pattern match the names of a path. Tracks how many names the parts so far can match, so no
    position is visited twice."""
    reached = {0}
    for part in parts:
        if part == "**":
            reached = set(range(min(reached), len(names) + 1))
        else:
            reached = {count + 1 for count in reached if count < len(names) and fnmatchcase(names[count], part)}
        if not reached:
            return False
    return len(names) in reached
