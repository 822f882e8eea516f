"""`.github/heal.yml`: what a repository tells Heal (OP-7). Strict: a key that nobody honours is refused, with its line.

For the App it is read from the base branch, never from a pull request's own: what runs is not for strangers to say.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    ValidationError,
    field_validator,
)
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from healing.agents.rules import AgentRules
from healing.autofix import NamedTool
from healing.checks.check import Check
from healing.checks.finding import command_check
from healing.checks.rules import CheckRules, TimeLimits
from healing.logs.matchers import (
    MOST_MATCHERS,
    MatcherError,
    MatcherPattern,
    ProblemMatcher,
    Read,
    only_once,
    read_file,
    unusable,
)
from healing.model import NotLooked
from healing.sandbox.network import MOST_HOSTS, SetupNetwork

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

CONFIG_PATH = ".github/heal.yml"
MOST_BYTES = 65_536
ADVICE = "The defaults go on. `heal config check` says the same on your machine; docs/config.md has every key."

Command = Annotated[str, StringConstraints(min_length=1, max_length=2000, strip_whitespace=True)]
Commands = Annotated[list[Command], Field(max_length=50)]

FILE, MATCHER = "(file)", "(matcher)"  # which of the two an entry is; pydantic puts them into its places
Path = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^/\\]")]
Matcher = Annotated[
    Annotated[Path, Tag(FILE)] | Annotated[ProblemMatcher, Tag(MATCHER)],
    Discriminator(lambda value: FILE if isinstance(value, str) else MATCHER),
]
Matchers = Annotated[list[Matcher], Field(max_length=MOST_MATCHERS)]


Hosts = Annotated[list[Annotated[str, StringConstraints(min_length=4, max_length=253)]], Field(max_length=MOST_HOSTS)]


def _listed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class RepoConfig(BaseModel):
    """Every key of `.github/heal.yml`."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", title="Heal's .github/heal.yml")

    checks: Annotated[tuple[Command, ...], BeforeValidator(_listed, json_schema_input_type=Commands)] = Field(
        default=(),
        max_length=50,
        description="Commands that judge this repository, run by bash in its top folder, in place of those that Heal "
        "finds in the workflow files. What they need has to be there: set-up steps of workflows are not run before "
        "them. Empty: the workflow files' steps are taken.",
        examples=[["ruff check .", "pytest -q"]],
    )
    problem_matchers: Annotated[tuple[Matcher, ...], BeforeValidator(_listed, json_schema_input_type=Matchers)] = Field(
        default=(),
        max_length=MOST_MATCHERS,
        description="How to read what Heal has no format for: patterns in the words of GitHub's problem matchers, or "
        'paths of JSON files in this repository that hold some, `{"problemMatcher": […]}`. They are used for CI\'s '
        "logs and for what checks print here. A job's own `::add-matcher::path` counts too, where the file is in "
        "the repository.",
        examples=[
            [
                ".github/problem-matchers/house-style.json",
                {
                    "owner": "spelling",
                    "pattern": [
                        {"regexp": r"^(.+):(\d+): (\w+) (.*)$", "file": 1, "line": 2, "code": 3, "message": 4},
                    ],
                },
            ]
        ],
    )

    verify: Literal["local", "ci"] = Field(
        default="local",
        description="Who proves a fix. `local`: the sandbox where Heal runs. `ci`: this repository's own CI besides, "
        "or alone where no sandbox works: for pull requests from this repository each result is pushed to a branch "
        "`heal/try/…`, and offered only where the jobs that had failed are green there and no other fails; the branch "
        "is removed. The workflows have to run for it: `on: push: branches: ['heal/try/**']`. That runs code which "
        "fixers and models wrote with CI's secrets (docs/security.md).",
        examples=["ci"],
    )

    rerun_flaky: bool = Field(
        default=False,
        description="Whether failed jobs of a workflow run are run again, once, where the failure may be gone then: "
        "it did not show on the same code here, or the log blames the machine or the network. Only a run's first "
        "attempt is run again. The App needs the permission `actions: write` for it. `false`: the check run has a "
        "button for it instead.",
        examples=[True],
    )

    search: bool = Field(
        default=False,
        description="Whether Heal may look for repairs of failing pytest tests by trying small changes (a comparison "
        "or a condition turned round, a number off by one, swapped arguments, a lost return value) in the lines that "
        "the failing tests run. It takes no model, but minutes of the machine: at most four for a check that runs in "
        "less than one. Only a change that is the only one with which all tests pass is offered, with low confidence: "
        "the tests don't say whether it is what was meant.",
        examples=[True],
    )

    agents: AgentRules = Field(
        default=AgentRules(),
        description="What agents may do here, and how they go about it.",
        examples=[{"commands": ["npm run lint", "make test"]}],
    )

    autofix: Annotated[tuple[NamedTool, ...], BeforeValidator(_listed, json_schema_input_type=list[NamedTool])] = Field(
        default=(),
        max_length=20,
        description="Commands that mend files, beside the tools that Heal knows (docs/design.md). Each is run in the "
        "sandbox for the files that its own errors name, or else those of all linters and formatters; what it changes "
        "elsewhere is left out, and a result that cures nothing or breaks something is undone.",
        examples=[[{"name": "stylelint", "run": 'npx stylelint --fix "$@"'}]],
    )

    network: Annotated[tuple[str, ...], BeforeValidator(_listed, json_schema_input_type=Hosts)] = Field(
        default=(),
        max_length=MOST_HOSTS,
        description="Hosts of package indexes that set-up steps of workflows may reach by HTTPS, and nothing else, "
        "through Heal's proxy; the check itself never has a network. Exact names. For pull requests from forks only "
        "wheels are fetched for `pip install` and packages for `npm ci`, and no code of theirs runs meanwhile. "
        "It needs bubblewrap (docs/security.md). Empty: no network.",
        examples=[["pypi.org", "files.pythonhosted.org", "registry.npmjs.org"]],
    )
    time_limits: TimeLimits = Field(
        default=TimeLimits(),
        description="Seconds that commands may take here.",
        examples=[{"pytest": 180, "setup": 600}],
    )
    check_minutes: float = Field(
        default=120.0,
        gt=0,
        le=6_000,
        description="Minutes that all checks of one run may take together. When they are used up no further command is "
        "started, and what could not be looked at is said.",
        examples=[45],
    )

    @field_validator("network")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return SetupNetwork(value).allowed

    @field_validator("problem_matchers")
    @classmethod
    def _owners(cls, value: tuple[Matcher, ...]) -> tuple[Matcher, ...]:
        only_once(one.owner for one in value if isinstance(one, ProblemMatcher))
        return value


@dataclass(frozen=True)
class ConfigProblem:
    """One thing wrong with the file: its 1-based line and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class ReadConfig:
    """What a file says. With problems, `config` is the defaults: half a configuration would surprise. `matcher_lines`
    are the 1-based lines of its problem matchers."""

    config: RepoConfig
    problems: tuple[ConfigProblem, ...] = ()
    matcher_lines: tuple[int, ...] = ()

    def checks(self) -> tuple[Check, ...]:
        """The commands as checks; none: look into the workflow files."""
        return tuple(command_check(command) for command in self.config.checks)

    def check_rules(self, of_fork: bool = False) -> CheckRules:
        """How checks are run; `of_fork`: the code that they run on is a stranger's."""
        config = self.config
        return CheckRules(config.network, config.time_limits, config.check_minutes, prebuilt_only=of_fork)

    def matchers(self, read: Read) -> tuple[tuple[ProblemMatcher, ...], tuple[NotLooked, ...]]:
        """The problem matchers, those in files that `read` gives among them; and which files can't be used, and why."""
        found: dict[str, ProblemMatcher] = {}
        wrong: list[NotLooked] = []
        for one in self.config.problem_matchers:
            try:
                matchers = read_file(one, read) if isinstance(one, str) else (one,)
                only_once([*found, *(matcher.owner for matcher in matchers)])
            except MatcherError as error:
                wrong.append(unusable(str(one), error))
            else:
                found |= {matcher.owner: matcher for matcher in matchers}
        return tuple(found.values()), tuple(wrong)

    def with_files(self, read: Read) -> "ReadConfig":
        """The same, with what is wrong in files that it names as problems at the names."""
        lines = zip(self.config.problem_matchers, self.matcher_lines, strict=False)
        wrong = {wrong.what: wrong.why for wrong in self.matchers(read)[1]}
        named = ((line, unusable(str(one), MatcherError()).what) for one, line in lines)
        found = tuple(ConfigProblem(line, f"{what}: {wrong[what]}") for line, what in named if what in wrong)
        return replace(self, problems=(*self.problems, *found))

    def not_looked(self) -> tuple[NotLooked, ...]:
        """The problems as an outcome reports them."""
        if not self.problems:
            return ()
        why = "; ".join(f"line {p.line}: {p.reason}" for p in self.problems)
        return (NotLooked(what=CONFIG_PATH, why=why, advice=ADVICE),)


def read_repo_config(data: bytes | None) -> ReadConfig:
    """Reads the file (None: there is none). Never raises: the file may be a stranger's."""
    if data is None:
        return ReadConfig(RepoConfig())
    if len(data) > MOST_BYTES:
        return _bad(ConfigProblem(1, f"longer than {MOST_BYTES} bytes"))
    try:
        tree = YAML(typ="rt", pure=True).load(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _bad(ConfigProblem(data.count(b"\n", 0, error.start) + 1, "not UTF-8 text"))
    except MarkedYAMLError as error:
        return _bad(ConfigProblem(_marked_line(error), f"not readable as YAML: {_said(error)}"))
    except (YAMLError, ValueError, TypeError, AttributeError, NotImplementedError, RecursionError) as error:
        # ruamel.yaml raises all of these on hostile tags, dates and depths.
        return _bad(ConfigProblem(1, f"not readable as YAML: {_first_line(str(error)) or type(error).__name__}"))
    if tree is None:
        return ReadConfig(RepoConfig())
    if not isinstance(tree, CommentedMap):
        return _bad(ConfigProblem(1, "must be keys with values, like `checks:` with a list below"))
    try:
        config = RepoConfig.model_validate(dict(tree))
    except ValidationError as error:
        return _bad(*(_problem(tree, one) for one in error.errors()))
    lines = tuple(_line(tree, ("problem_matchers", at)) for at in range(len(config.problem_matchers)))
    return ReadConfig(config, matcher_lines=lines)


SAID = {
    "too_long": "has more than {max_length} entries",
    "string_type": "must be text; put quotes around it",
    "tuple_type": "must be a list, with a `- ` before each entry",
    "model_type": "must be a problem matcher with `owner` and `pattern`, or the path of a file that holds some",
    "missing": "is missing",
    "float_type": "must be a number",
    "greater_than": "must be more than {gt:g}",
    "less_than_equal": "must be at most {le:g}",
    "bool_type": "must be `true` or `false`, without quotes",
    "string_pattern_mismatch": "must be a path inside the repository",
}
KEYS = "must be keys with values, like `key: value`, below it"


def _bad(*problems: ConfigProblem) -> ReadConfig:
    return ReadConfig(RepoConfig(), tuple(sorted(problems, key=lambda p: p.line)))


def _marked_line(error: MarkedYAMLError) -> int:
    mark = error.problem_mark or error.context_mark
    return int(mark.line) + 1 if mark is not None else 1


def _said(error: MarkedYAMLError) -> str:
    return ", ".join(part for part in (error.context, error.problem) if part)


def _problem(tree: CommentedMap, error: "ErrorDetails") -> ConfigProblem:
    loc = [part for part in error["loc"] if part not in (FILE, MATCHER)]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")[:200]
    if error["type"] == "extra_forbidden":
        keys = _keys(loc)
        near = difflib.get_close_matches(str(loc[-1]), keys, n=1)
        known = f"did you mean `{near[0]}`?" if near else f"known are: {', '.join(keys)}"
        return ConfigProblem(_line(tree, loc), f"`{name}` is no key of Heal's; {known}")
    ours = KEYS if error["type"] == "model_type" and len(loc) == 1 else SAID.get(error["type"])
    said = ours.format(**error.get("ctx", {})) if ours else error["msg"].removeprefix("Value error, ")
    return ConfigProblem(_line(tree, loc), f"`{name}`: {said}")


def _keys(loc: Sequence[int | str]) -> list[str]:
    """The keys that are known where `loc` has an unknown one."""
    if len(loc) > 1:
        inner = MatcherPattern if "pattern" in loc[:-1] else ProblemMatcher
        models: dict[object, type[BaseModel]] = {
            "agents": AgentRules,
            "autofix": NamedTool,
            "time_limits": TimeLimits,
        }
        model = models.get(loc[0], inner)
    else:
        model = RepoConfig
    return [field.alias or name for name, field in model.model_fields.items()]


def _line(tree: Any, loc: Sequence[int | str]) -> int:
    """The line of the deepest part of `loc` that the file knows."""
    line = 0
    for part in loc:
        try:
            place = tree.lc.item(part) if isinstance(tree, CommentedSeq) else tree.lc.key(part)
            tree = tree[part]
        except (AttributeError, KeyError, IndexError, TypeError):
            break
        if place is not None:
            line = place[0]
    return line + 1


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def json_schema() -> dict[str, Any]:
    """The file's JSON Schema, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **RepoConfig.model_json_schema()}
