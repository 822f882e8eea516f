"""Problem matchers: a user's own patterns for a tool, in GitHub's problem-matcher JSON format.

The expressions are untrusted, so RE2 runs them: its time is linear in the line, whatever the expression. What it
doesn't support (lookaround, backreferences) is refused with the reason.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from healing.model import NotChecked

MAX_MATCHERS = 50
MAX_BYTES = 262_144  # of one JSON file
MAX_INSTRUCTIONS = 2_000  # of one compiled RE2 expression
MEMORY = 1 << 21  # bytes that RE2 may take for one expression
Group = Annotated[int | None, Field(default=None, ge=0, le=100)]
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.S)


def _listed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class MatcherPattern(BaseModel):
    """One line of what a tool prints. `regexp` is searched for in the line; the others are numbers of its groups."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    regexp: str = Field(max_length=4000, description="Regular expression (RE2), searched for in the line.")
    file: Group = Field(description="Group with the file's name.")
    from_path: Group = Field(alias="fromPath", description="Group with a path that the file's name is relative to.")
    line: Group = Field(description="Group with the line.")
    column: Group = Field(description="Group with the column.")
    end_line: Group = Field(alias="endLine", description="Group with the last line.")
    end_column: Group = Field(alias="endColumn", description="Group with the last column.")
    severity: Group = Field(description="Group with `error`, `warning` or `notice`.")
    code: Group = Field(description="Group with the rule's name.")
    message: Group = Field(description="Group with the message.")
    kind: Literal["file", "location"] | None = Field(
        default=None, description="`file`: the tool names files alone; a line and column are not read."
    )
    loop: bool = Field(
        default=False,
        description="Only in the last of several patterns: it is searched for in every next line, until one "
        "doesn't fit, with what the patterns before it found.",
    )

    @model_validator(mode="after")
    def _runs(self) -> "MatcherPattern":
        groups = expression(self.regexp).groups
        for name, group in self.named().items():
            if group > groups:
                raise ValueError(f"`{name}` is group {group}, but the expression has only {groups}")
        return self

    def named(self) -> dict[str, int]:
        """Field → number of its group, for those that are set."""
        unnumbered = {"regexp", "kind", "loop"}
        return {k: v for k, v in self.model_dump(by_alias=True, exclude=unnumbered).items() if v is not None}


def _lowered(value: object) -> object:
    return value.lower() or "error" if isinstance(value, str) else value


Patterns = Annotated[tuple[MatcherPattern, ...], BeforeValidator(_listed, json_schema_input_type=list[MatcherPattern])]


class ProblemMatcher(BaseModel):
    """What one tool prints for a problem: one line, or several in a row."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    owner: str = Field(min_length=1, max_length=100, description="Name of the tool, unique.")
    severity: Annotated[Literal["error", "warning", "notice"], BeforeValidator(_lowered)] = Field(
        default="error", description="What holds where the line says nothing."
    )
    pattern: Patterns = Field(
        max_length=20,
        description="One pattern for each line of a problem, in their order.",
        json_schema_extra={"minItems": 1},
    )

    @model_validator(mode="after")
    def _makes_sense(self) -> "ProblemMatcher":
        if not self.pattern:
            raise ValueError("it has no pattern")
        seen: set[str] = set()
        for number, pattern in enumerate(self.pattern, start=1):
            last = number == len(self.pattern)
            if pattern.loop and (number == 1 or not last):
                raise ValueError("only the last of several patterns may have `loop`")
            if pattern.loop and pattern.message is None:
                raise ValueError("the pattern with `loop` has to name `message`")
            if twice := seen & set(pattern.named()):
                raise ValueError(f"`{min(twice)}` is named by two patterns")
            seen |= set(pattern.named())
        if "message" not in seen:
            raise ValueError("one of the patterns has to name `message`")
        return self


@cache
def expression(regexp: str) -> Any:
    """The compiled expression, with GitHub's (ECMAScript's) escapes translated to RE2's. Raises ValueError with the
    reason."""
    import re2  # type: ignore[import-untyped] # it has no types

    options = re2.Options()
    options.log_errors = False
    options.max_mem = MEMORY
    try:
        compiled = re2.compile(_ESCAPE.sub(_escaped, regexp), options)
    except (re2.error, UnicodeError) as error:
        why = error.args[0] if error.args else ""
        reason = why.decode("utf-8", "replace") if isinstance(why, bytes) else str(why)
        raise ValueError(f"RE2 can't run the expression: {reason[:200]}{_hint(regexp)}") from None
    if compiled.programsize > MAX_INSTRUCTIONS:
        raise ValueError("the expression is too large: let it repeat less")
    return compiled


def _escaped(match: re.Match[str]) -> str:
    return f"\\x{{{match[1]}}}" if match[1] else match[0]


def _hint(regexp: str) -> str:
    if re.search(r"\(\?<?[=!]", regexp):
        return ". It has no lookahead and no lookbehind: match what may be there, and leave it out of the groups"
    return ". It has no backreferences" if re.search(r"\\[1-9k]", regexp) else ""


class MatcherError(ValueError):
    """A file has no usable problem matchers; the message is the reason."""


def read_matchers(data: bytes) -> tuple[ProblemMatcher, ...]:
    """The matchers of a file in GitHub's format, `{"problemMatcher": […]}`; unknown keys are ignored. Raises
    MatcherError."""
    if len(data) > MAX_BYTES:
        raise MatcherError(f"it is longer than {MAX_BYTES >> 10} KiB")
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise MatcherError(f"it is no JSON: {error}") from None
    matchers = content.get("problemMatcher") if isinstance(content, dict) else None
    if not isinstance(matchers, list) or not matchers:
        raise MatcherError('it has no list under "problemMatcher"')
    if len(matchers) > MAX_MATCHERS:
        raise MatcherError(f"it has more than {MAX_MATCHERS} matchers")
    parsed = tuple(_matcher(matcher, number) for number, matcher in enumerate(matchers))
    require_unique_owners(matcher.owner for matcher in parsed)
    return parsed


def require_unique_owners(owners: Iterable[str]) -> None:
    """Raises MatcherError if two matchers have the same owner: the later would replace the earlier."""
    if twice := [owner for owner, count in Counter(owners).items() if count > 1]:
        raise MatcherError(f"the owner `{twice[0]}` is there twice")


def _matcher(value: Any, number: int) -> ProblemMatcher:
    try:
        return ProblemMatcher.model_validate(value, extra="ignore")
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in ("problemMatcher", number, *first["loc"]))
        raise MatcherError(f"{place.lstrip('.')[:200]}: {first['msg'].removeprefix('Value error, ')}") from None


Read = Callable[[str], bytes | None]  # a file of the repository by its path; None where there is none
ADVICE = "Everything else was read. Fix the file; `heal config check` looks into those that heal.yml names."


def read_file(path: str, read: Read) -> tuple[ProblemMatcher, ...]:
    """The matchers in a file of the repository. Raises MatcherError."""
    data = read(path)
    if data is None:
        raise MatcherError("the repository has no such file")
    return read_matchers(data)


def unusable_file_report(path: str, error: MatcherError) -> NotChecked:
    """The report for a file without usable matchers."""
    return NotChecked(what=f"problem matchers of {path}", why=str(error), advice=ADVICE)
