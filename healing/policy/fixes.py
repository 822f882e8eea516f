"""What a repository forbids to every fix: files and rules that are never touched, kinds of errors that are only
reported, and the size of a fix. It is read from the base branch and enforced at the proof, which every fix passes."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints

from healing.model import Category, CIError, Frozen
from healing.policy.path_patterns import MEANING, PathPattern, fits, listed

LIMIT = 100
POLICY = "policy"  # the reason in reports on errors that are not worked on
NEVER = "`never_touch` in .github/heal.yml"
ONLY = "`report_only` in .github/heal.yml"
ON_THE_SPOT = frozenset({Category.LINT, Category.FORMAT})  # errors that can only be fixed where they are

Kind = Literal[
    "syntax",
    "indentation",
    "import",
    "type",
    "compile",
    "test",
    "runtime",
    "lint",
    "format",
    "security",
    "dependency",
    "config",
]


RulePattern = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
Paths = Annotated[list[PathPattern], Field(max_length=LIMIT)]
Rules = Annotated[list[RulePattern], Field(max_length=LIMIT)]
Kinds = Annotated[
    tuple[Kind, ...],
    BeforeValidator(listed, json_schema_input_type=Annotated[list[Kind], Field(max_length=LIMIT)]),
]


class NeverTouch(Frozen):
    """Keys of `never_touch:`."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    paths: Annotated[tuple[PathPattern, ...], BeforeValidator(listed, json_schema_input_type=Paths)] = Field(
        default=(),
        max_length=LIMIT,
        description="Files that no fix changes, creates or deletes, whether a tool, a rule or a model makes it. "
        + MEANING,
    )
    rules: Annotated[tuple[RulePattern, ...], BeforeValidator(listed, json_schema_input_type=Rules)] = Field(
        default=(),
        max_length=LIMIT,
        description="Rules whose errors are never worked on: a code as the tool prints it (`E501`), a tool and a code "
        "(`ruff F401`), or a tool for all that it reports (`mypy`). `*` stands for anything: `ruff S*`.",
    )


class Caps(Frozen):
    """Keys of `caps:`: the most that one fix may change."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    files: int = Field(default=25, ge=1, le=100, description="Files that one fix may change.")
    lines: int = Field(default=800, ge=1, le=5_000, description="Lines that one fix may change.")


class FixPolicy(Frozen):
    """The policy for the fixes of one run."""

    never_touch: NeverTouch = NeverTouch()
    report_only: tuple[str, ...] = ()  # categories of errors
    caps: Caps = Caps()

    def why_forbidden(self, paths: Iterable[str]) -> str:
        """Why these files may not be changed, naming the first one that may not; empty if all of them may."""
        for path in sorted(set(paths)):
            for pattern in self.never_touch.paths:
                if fits(pattern, path):
                    return f"{path} is never changed here (`{pattern}`, {NEVER})"
        return ""

    def why_only_reported(self, error: CIError) -> str:
        """Why an error is only reported; empty if it is worked on."""
        for pattern in self.never_touch.rules:
            if any(
                fnmatchcase(name, pattern) for name in (error.code, error.tool, f"{error.tool} {error.code}") if name
            ):
                return f"errors of `{pattern}` are only reported here ({NEVER})"
        if error.category.value in self.report_only:
            return f"`{error.category.value}` errors are only reported here ({ONLY})"
        if error.file and error.category in ON_THE_SPOT:
            return self.why_forbidden([error.file])
        return ""
