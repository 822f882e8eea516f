"""Rules about which pull requests Heal leaves alone: the key `skip` of `.github/heal.yml`."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints

from healing.model import Frozen
from healing.policy.path_patterns import MEANING, PathPattern, fits, listed

LIMIT = 100
Label = Annotated[str, StringConstraints(min_length=1, max_length=100)]


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
        BeforeValidator(listed, json_schema_input_type=Annotated[list[Label], Field(max_length=LIMIT)]),
    ] = Field(default=(), max_length=LIMIT, description="Pull requests with one of these labels.")
    paths: Annotated[
        tuple[PathPattern, ...],
        BeforeValidator(listed, json_schema_input_type=Annotated[list[PathPattern], Field(max_length=LIMIT)]),
    ] = Field(
        default=(),
        max_length=LIMIT,
        description=f"Pull requests that change nothing but files that match one of these patterns. {MEANING}",
    )

    def labelled(self, labels: Iterable[str]) -> str | None:
        """Returns the first of `labels` that is in the rules, ignoring case as GitHub does."""
        named = {label.casefold() for label in self.labels}
        return next((label for label in labels if label.casefold() in named), None)

    def covers(self, paths: Iterable[str]) -> bool:
        """Whether there are paths, and all of them match the rules."""
        files = tuple(paths)
        return bool(files and self.paths) and all(any(fits(one, path) for one in self.paths) for path in files)
