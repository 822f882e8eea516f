"""What a repository says about which pull requests Heal leaves alone: the key `skip` of `.github/heal.yml` (IN-4)."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints

from healing.model import Frozen

MOST = 100
Label = Annotated[str, StringConstraints(min_length=1, max_length=100)]
PathPattern = Annotated[str, StringConstraints(min_length=1, max_length=500)]


def _listed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class SkipRules(Frozen):
    """The defaults leave alone what should only be touched when somebody says so. A person's `/heal` lifts them all."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    drafts: bool = Field(default=True, description="Drafts, until they are ready.")
    forks: bool = Field(
        default=True,
        description="Pull requests from forks. `false`: the code of strangers is run in the sandbox without anybody "
        "having looked at it.",
    )
    dependency_bots: bool = Field(default=True, description="Pull requests of Dependabot and Renovate.")
    merge_queue: bool = Field(
        default=True,
        description="What fails only in the merge queue, on the merge that GitHub made there. `false`: it is healed on "
        "the pull request's own branch.",
    )
    labels: Annotated[
        tuple[Label, ...],
        BeforeValidator(_listed, json_schema_input_type=Annotated[list[Label], Field(max_length=MOST)]),
    ] = Field(default=(), max_length=MOST, description="Pull requests with one of these labels.")
    paths: Annotated[
        tuple[PathPattern, ...],
        BeforeValidator(_listed, json_schema_input_type=Annotated[list[PathPattern], Field(max_length=MOST)]),
    ] = Field(
        default=(),
        max_length=MOST,
        description="Pull requests that change nothing but files that match one of these patterns. `*` and `?` stay "
        "inside a name, `**` doesn't; a pattern without a slash fits names in every folder, one that ends in a slash "
        "everything below.",
    )

    def labelled(self, labels: Iterable[str]) -> str | None:
        """The first of the labels that is named here; GitHub's labels know no upper and lower case."""
        named = {label.casefold() for label in self.labels}
        return next((label for label in labels if label.casefold() in named), None)

    def covers(self, paths: Iterable[str]) -> bool:
        """Whether there are files, and all of them match."""
        files = tuple(paths)
        return bool(files and self.paths) and all(any(fits(one, path) for one in self.paths) for path in files)


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
