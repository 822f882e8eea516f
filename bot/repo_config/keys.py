"""Every key of `.github/heal.yml`, with its limits and the words that docs/config.md shows."""

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    ValidationInfo,
    field_validator,
)

from handlers.model.repo_policy import MAX_GENERATIONS, FixupPr, Formatter
from handlers.model.skip_rules import SkipRules
from healing.checks.hosts import DEFAULT
from healing.checks.rules import TimeLimits
from healing.logs.matchers import MAX_MATCHERS, ProblemMatcher, require_unique_owners
from healing.policy.fixes import LIMIT, Caps, Kinds, NeverTouch
from healing.policy.path_patterns import PathPattern, listed
from healing.repair.agents.rules import AgentRules
from healing.repair.tools import NamedTool
from healing.sandbox.network import MAX_HOSTS, SetupNetwork

Command = Annotated[str, StringConstraints(min_length=1, max_length=2000, strip_whitespace=True)]
Commands = Annotated[list[Command], Field(max_length=50)]

FILE, MATCHER = "(file)", "(matcher)"  # which of the two an entry is; pydantic puts them into its places
Path = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^/\\]")]
Matcher = Annotated[
    Annotated[Path, Tag(FILE)] | Annotated[ProblemMatcher, Tag(MATCHER)],
    Discriminator(lambda value: FILE if isinstance(value, str) else MATCHER),
]
Matchers = Annotated[list[Matcher], Field(max_length=MAX_MATCHERS)]


Branches = Annotated[list[PathPattern], Field(max_length=LIMIT)]
Host = Annotated[str, StringConstraints(min_length=4, max_length=253)]
Hosts = Annotated[list[Host], Field(max_length=MAX_HOSTS)] | Literal["default", "off", False]


def _hosts(value: object) -> object:
    """The entries of `network:` as a tuple."""
    if value == DEFAULT:
        return (DEFAULT,)
    if value is False or value == "off":  # YAML's own `off` is false
        return ()
    return listed(value)


class RepoConfig(BaseModel):
    """Every key of `.github/heal.yml`."""

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="forbid",
        title="Heal's .github/heal.yml",
        json_schema_extra={"dependentRequired": {"setup": ["checks"]}},
    )

    checks: Annotated[tuple[Command, ...], BeforeValidator(listed, json_schema_input_type=Commands)] = Field(
        default=(),
        max_length=50,
        description="Commands that check this repository, run by bash in its top folder, instead of those that Heal "
        "finds in the workflow files. Set-up steps of workflows are not run before them: put what they need under "
        "`setup:`. Empty: the workflow files' steps are used.",
        examples=[["ruff check .", "pytest -q"]],
    )
    setup: Annotated[tuple[Command, ...], BeforeValidator(listed, json_schema_input_type=Commands)] = Field(
        default=(),
        max_length=50,
        description="Commands that prepare for `checks:`, run by bash in the top folder before each of them, in order; "
        "if one fails, the code is not judged. They may reach the hosts under `network:`; the checks "
        "themselves have no network. For CI that isn't GitHub Actions. On a laptop your own environment is used: the "
        "commands that install something are not run there.",
        examples=[["pip install -r requirements.txt", "make generated"]],
    )
    problem_matchers: Annotated[tuple[Matcher, ...], BeforeValidator(listed, json_schema_input_type=Matchers)] = Field(
        default=(),
        max_length=MAX_MATCHERS,
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

    verify: Literal["auto", "local", "ci"] = Field(
        default="auto",
        description="Where fixes are tested. `auto`: in Heal's sandbox; where that can't reproduce the failure "
        "(another operating system or environment, a service that Heal doesn't start, no sandbox), in "
        "this repository's own CI. `local`: only in the sandbox. `ci`: in the sandbox, and then in CI "
        "too, for every fix. To test in CI, Heal pushes the fix to a branch `heal/try/…`, offers it if "
        "the jobs that had failed pass there and no other job fails, and deletes the branch. It does so "
        "only for pull requests from this repository, and only if your workflows run on that branch: `on: "
        "push: branches: ['heal/try/**']`, or on any push. Such a run has CI's secrets: with `auto` the "
        "code in it was written by rules, formatters and linters, with `ci` also by models "
        "(docs/security.md).",
        examples=["local"],
    )

    skip: SkipRules = Field(
        default=SkipRules(),
        description="Pull requests that are skipped, with one line on the check run, until somebody comments `/heal`.",
        examples=[{"drafts": False, "labels": ["no-heal"], "paths": ["docs/", "*.md"]}],
    )

    branches: Annotated[tuple[PathPattern, ...], BeforeValidator(listed, json_schema_input_type=Branches)] = Field(
        default=(),
        max_length=LIMIT,
        description="Branches that Heal works for: pull requests into them, and the default branch itself where it is "
        "named. `*` stays inside a part of a name, `**` doesn't. Empty: all. The others are skipped until somebody "
        "comments `/heal`.",
        examples=[["main", "release/*"]],
    )
    generations: int = Field(
        default=1,
        ge=0,
        le=MAX_GENERATIONS,
        description="How often in a row Heal works on failures of commits that it made itself (those of "
        "`/heal apply` count too). `0`: a failure of its own commit waits for `/heal`.",
        examples=[0],
    )
    fixup_pr: FixupPr = Field(
        default="auto",
        description="Fixes that no suggested change can carry. `auto`: one fixup pull request into the pull request's "
        "branch. `on_request`: they are shown as patches, and `/heal pr <id…|all>` opens that pull request. For a red "
        "default branch, which has no page to ask on, it is always opened.",
        examples=["on_request"],
    )
    commit_formatting: Annotated[
        tuple[Formatter, ...], BeforeValidator(listed, json_schema_input_type=list[Formatter])
    ] = Field(
        default=(),
        max_length=10,
        description="Formatters whose fixes are committed to the pull request's branch at once, all in one commit, "
        "where they change nothing but layout and the order of imports. Each is tested as ever and "
        "`/heal rollback <id>` reverts it. Never on forks. What else such a tool changes is offered as ever.",
        examples=[["ruff-format", "isort"]],
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

    autofix: Annotated[tuple[NamedTool, ...], BeforeValidator(listed, json_schema_input_type=list[NamedTool])] = Field(
        default=(),
        max_length=20,
        description="Commands that fix files, beside the tools that Heal knows (docs/design.md). Each is run in the "
        "sandbox for the files that its own errors name, or else those of all linters and formatters; what it changes "
        "elsewhere is left out, and a result that fixes nothing or breaks something is undone.",
        examples=[[{"name": "stylelint", "run": 'npx stylelint --fix "$@"'}]],
    )

    never_touch: NeverTouch = Field(
        default=NeverTouch(),
        description="What no fix of Heal's touches, whoever makes it. It is read from the base branch and tested where "
        "every fix is tested, again before one is committed.",
        examples=[{"paths": ["migrations/", "*.sql"], "rules": ["E501", "ruff S*"]}],
    )
    report_only: Kinds = Field(
        default=(),
        max_length=LIMIT,
        description="Kinds of errors that are only reported, never fixed.",
        examples=[["security", "type"]],
    )
    caps: Caps = Field(
        default=Caps(),
        description="How large one fix may be. A file that a formatter only laid out anew doesn't count.",
        examples=[{"files": 3, "lines": 60}],
    )

    network: Annotated[tuple[str, ...], BeforeValidator(_hosts, json_schema_input_type=Hosts)] = Field(
        default=(DEFAULT,),
        max_length=MAX_HOSTS,
        description="What set-up steps may reach by HTTPS, through Heal's proxy; the check itself never has a network. "
        "`default`, which holds where the key is missing: the public package indexes of Python, Node, Go, Rust, Ruby, "
        "PHP and Java, where their languages are released, and the operator's own indexes (docs/security.md lists "
        "them). `off`: nothing. A list: these hosts alone, by their exact names; `default` in it stands for those "
        "above. For pull requests from forks only wheels are fetched for `pip install` and `uv sync` and packages for "
        "`npm ci`, and no code of theirs runs meanwhile. It needs bubblewrap; without it set-up steps have no network.",
        examples=["off", ["default", "packages.example.com"], ["pypi.org", "files.pythonhosted.org"]],
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
        description="Minutes that all checks of one run may take together, with their set-up and the repository's own "
        "tools. When they are used up no further command is started, and what could not be checked is listed.",
        examples=[45],
    )

    @field_validator("setup")
    @classmethod
    def _before_something(cls, value: tuple[Command, ...], info: ValidationInfo) -> tuple[Command, ...]:
        if value and info.data.get("checks") == ():
            raise ValueError("is run before `checks:` alone, and the file names none: name them too")
        return value

    @field_validator("network")
    @classmethod
    def _names_of_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        SetupNetwork(tuple(one for one in value if one != DEFAULT))
        return value

    @field_validator("problem_matchers")
    @classmethod
    def _owners(cls, value: tuple[Matcher, ...]) -> tuple[Matcher, ...]:
        require_unique_owners(one.owner for one in value if isinstance(one, ProblemMatcher))
        return value


def json_schema() -> dict[str, Any]:
    """The file's JSON Schema, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **RepoConfig.model_json_schema()}
