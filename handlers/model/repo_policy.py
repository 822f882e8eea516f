"""A repository's policy, from `.github/heal.yml` of the base branch: where Heal works and how it offers fixes."""

from typing import Literal

from pydantic import Field

from handlers.model.skip_rules import SkipRules
from healing.model import Frozen

FixupPr = Literal["auto", "on_request"]
# Tools that only change the formatting of code, by their names in autofix.
Formatter = Literal["black", "gofmt", "isort", "prettier", "ruff-format", "rustfmt"]
MAX_GENERATIONS = 5


class RepoPolicy(Frozen):
    """The defaults are those of a repository without the file."""

    skip: SkipRules = SkipRules()
    branches: tuple[str, ...] = ()
    generations: int = Field(default=1, ge=0, le=MAX_GENERATIONS)
    rerun_flaky: bool = False
    fixup_pr: FixupPr = "auto"
    commit_formatting: tuple[Formatter, ...] = ()
