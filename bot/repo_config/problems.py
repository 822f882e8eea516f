"""What is wrong with a `heal.yml`: line, reason and the nearest key."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError

from bot.repo_config.keys import FILE, MATCHER, RepoConfig
from healing.logs.matchers import MatcherPattern, ProblemMatcher
from healing.repair.tools import NamedTool

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

PLAIN_WORDS = {
    "too_long": "has more than {max_length} entries",
    "string_type": "must be text; put quotes around it",
    "tuple_type": "must be a list, with a `- ` before each entry",
    "model_type": "must be a problem matcher with `owner` and `pattern`, or the path of a file that holds some",
    "missing": "is missing",
    "float_type": "must be a number",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "int_type": "must be a whole number",
    "less_than_equal": "must be at most {le:g}",
    "bool_type": "must be `true` or `false`, without quotes",
    "string_pattern_mismatch": "must be a path inside the repository",
}
KEYS = "must be keys with values, like `key: value`, below it"


@dataclass(frozen=True)
class ConfigProblem:
    """One thing wrong with the file: its 1-based line and column, and why."""

    line: int
    reason: str
    column: int = 1


def marked(error: MarkedYAMLError) -> tuple[int, int]:
    """Line and column, from 1."""
    mark = error.problem_mark or error.context_mark
    return (int(mark.line) + 1, int(mark.column) + 1) if mark is not None else (1, 1)


def yaml_problem(error: MarkedYAMLError) -> str:
    return ", ".join(part for part in (error.context, error.problem) if part)


def problem_of(tree: CommentedMap, error: "ErrorDetails") -> ConfigProblem:
    loc = [part for part in error["loc"] if part not in (FILE, MATCHER)]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")[:200]
    if error["type"] == "extra_forbidden":
        keys = _keys(loc)
        near = difflib.get_close_matches(str(loc[-1]), keys, n=1)
        known = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(keys)}"
        return problem_at(tree, loc, f"unknown key `{name}`; {known}")
    ours = KEYS if error["type"] == "model_type" and len(loc) == 1 else PLAIN_WORDS.get(error["type"])
    message = ours.format(**error.get("ctx", {})) if ours else error["msg"].removeprefix("Value error, ")
    return problem_at(tree, loc, f"`{name}`: {message}")


def problem_at(tree: CommentedMap, loc: Sequence[int | str], reason: str) -> ConfigProblem:
    line, column = place_of(tree, loc)
    return ConfigProblem(line, reason, column)


def _keys(loc: Sequence[int | str]) -> list[str]:
    """The keys that are known where `loc` has an unknown one."""
    model: type[BaseModel] = RepoConfig
    if len(loc) > 1:
        kind = RepoConfig.model_fields[str(loc[0])].annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            model = kind
        elif loc[0] == "autofix":
            model = NamedTool
        else:
            model = MatcherPattern if "pattern" in loc[:-1] else ProblemMatcher
    return [field.alias or name for name, field in model.model_fields.items()]


def place_of(tree: Any, loc: Sequence[int | str]) -> tuple[int, int]:
    """Line and column, from 1, of the deepest part of `loc` that the file knows."""
    line = column = 0
    for part in loc:
        try:
            place = tree.lc.item(part) if isinstance(tree, CommentedSeq) else tree.lc.key(part)
            tree = tree[part]
        except (AttributeError, KeyError, IndexError, TypeError):
            break
        if place is not None:
            line, column = place[0], place[1]
    return line + 1, column + 1
