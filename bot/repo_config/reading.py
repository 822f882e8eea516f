"""Reads a `heal.yml`: strictly, and whole or not at all. The file may be a stranger's."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from bot.repo_config.keys import RepoConfig
from bot.repo_config.problems import ConfigProblem, marked, place_of, problem_of, yaml_problem
from handlers.model import Setting, Settings
from handlers.model.repo_policy import RepoPolicy
from healing.checks.check import Check, command_check
from healing.checks.rules import CONFIG_PATH, CheckRules
from healing.logs.matchers import (
    MatcherError,
    ProblemMatcher,
    Read,
    read_file,
    require_unique_owners,
    unusable_file_report,
)
from healing.model import NotChecked
from healing.policy.fixes import FixPolicy, NeverTouch
from healing.repair.agents.rules import AgentRules

MAX_BYTES = 65_536
NEVER_TOUCH = "never_touch"
# Keys that hold in a bad file too, as far as they can be read themselves.
RESTRAINTS = (NEVER_TOUCH, "report_only", "caps", "skip", "branches", "generations", "fixup_pr")
OF_AGENTS = ("dollars", "models")  # and these of `agents:`
ADVICE = "The defaults apply. `heal config check` shows the same on your machine; docs/config.md has every key."


@dataclass(frozen=True)
class ReadConfig:
    """What a file says. With problems, `config` is the defaults with what the file forbids: half a configuration would
    surprise. `matcher_lines`
    are the 1-based lines of its problem matchers."""

    config: RepoConfig
    problems: tuple[ConfigProblem, ...] = ()
    matcher_lines: tuple[int, ...] = ()

    def checks(self) -> tuple[Check, ...]:
        """The commands as checks, each with the file's set-up; none: look into the workflow files."""
        return tuple(command_check(command, setup=self.config.setup) for command in self.config.checks)

    def check_rules(self, of_fork: bool = False, number: int | None = None) -> CheckRules:
        """How checks are run; `of_fork`: the code that they run on is a stranger's; `number`: of its pull request."""
        config = self.config
        whose = f"pull request {number}" if number else ""
        return CheckRules(config.network, config.time_limits, config.check_minutes, of_fork, whose)

    def as_settings(self) -> Settings:
        """Returns the settings one by one, for display."""
        now, default = (config.model_dump(mode="json") for config in (self.config, RepoConfig()))
        given = self.config.model_fields_set
        return Settings(
            settings=tuple(Setting(key=k, value=json.dumps(now[k]), given=k in given) for k in default),
            problems=tuple(f"line {problem.line}: {problem.reason}" for problem in self.problems),
        )

    def repo_policy(self) -> RepoPolicy:
        """Where Heal works here, and how it offers fixes."""
        return RepoPolicy(**{name: getattr(self.config, name) for name in RepoPolicy.model_fields})

    def fix_policy(self) -> FixPolicy:
        """What is forbidden to fixes here."""
        config = self.config
        return FixPolicy(never_touch=config.never_touch, report_only=config.report_only, caps=config.caps)

    def matchers(self, read: Read) -> tuple[tuple[ProblemMatcher, ...], tuple[NotChecked, ...]]:
        """The problem matchers, those in files that `read` gives among them; and which files can't be used, and why."""
        found: dict[str, ProblemMatcher] = {}
        wrong: list[NotChecked] = []
        for one in self.config.problem_matchers:
            try:
                matchers = read_file(one, read) if isinstance(one, str) else (one,)
                require_unique_owners([*found, *(matcher.owner for matcher in matchers)])
            except MatcherError as error:
                wrong.append(unusable_file_report(str(one), error))
            else:
                found |= {matcher.owner: matcher for matcher in matchers}
        return tuple(found.values()), tuple(wrong)

    def with_files(self, read: Read) -> "ReadConfig":
        """The same, with what is wrong in files that it names as problems at the names."""
        lines = zip(self.config.problem_matchers, self.matcher_lines, strict=False)
        wrong = {wrong.what: wrong.why for wrong in self.matchers(read)[1]}
        named = ((line, unusable_file_report(str(one), MatcherError()).what) for one, line in lines)
        found = tuple(ConfigProblem(line, f"{what}: {wrong[what]}") for line, what in named if what in wrong)
        return replace(self, problems=(*self.problems, *found))

    def warnings(self, read: Read) -> tuple[str, ...]:
        """What of the file, and of files that it names, does not hold: a line each."""
        return tuple(one.sentence for one in (*self.not_looked(), *self.matchers(read)[1]))

    def not_looked(self) -> tuple[NotChecked, ...]:
        """The problems as an outcome reports them."""
        if not self.problems:
            return ()
        why = "; ".join(f"line {p.line}: {p.reason}" for p in self.problems)
        return (NotChecked(what=CONFIG_PATH, why=why, advice=ADVICE),)


def read_repo_config(data: bytes | None) -> ReadConfig:
    """Reads the file (None: there is none). Never raises: the file may be a stranger's."""
    if data is None:
        return ReadConfig(RepoConfig())
    if len(data) > MAX_BYTES:
        return _bad(ConfigProblem(1, f"longer than {MAX_BYTES} bytes"))
    try:
        tree = YAML(typ="rt", pure=True).load(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        column = error.start - data.rfind(b"\n", 0, error.start)
        return _bad(ConfigProblem(data.count(b"\n", 0, error.start) + 1, "not UTF-8 text", column))
    except MarkedYAMLError as error:
        line, column = marked(error)
        unread = ConfigProblem(line, f"not readable as YAML: {yaml_problem(error)}", column)
        return replace(_bad(unread), config=_restrained(None if NEVER_TOUCH in data.decode() else {}))
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
        return replace(_bad(*(problem_of(tree, one) for one in error.errors())), config=_restrained(tree))
    lines = tuple(place_of(tree, ("problem_matchers", at))[0] for at in range(len(config.problem_matchers)))
    return ReadConfig(config, matcher_lines=lines)


def _restrained(tree: Mapping[str, object] | None) -> RepoConfig:
    """The defaults with what a bad file forbids: no slip in another key may open what somebody closed. Where what is
    never touched can't be read (None: nothing can), nothing is touched."""
    kept: dict[str, object] = {}
    for key in RESTRAINTS if tree else ():
        try:
            kept |= {key: getattr(RepoConfig.model_validate({key: tree[key]}), key)} if tree and key in tree else {}
        except ValidationError:
            continue
    if tree and "agents" in tree:
        kept["agents"] = _restrained_agents(tree["agents"])
    if tree is None or (NEVER_TOUCH in tree and NEVER_TOUCH not in kept):
        kept[NEVER_TOUCH] = NeverTouch(paths=("**",))
    return RepoConfig.model_validate(kept)


def _restrained_agents(rules: object) -> AgentRules:
    """What a bad file forbids to agents; what can't be read of it is forbidden altogether."""
    if not isinstance(rules, Mapping):
        return AgentRules()
    try:
        return AgentRules.model_validate({key: rules[key] for key in OF_AGENTS if key in rules})
    except ValidationError:
        return AgentRules(dollars=0)


def _bad(*problems: ConfigProblem) -> ReadConfig:
    return ReadConfig(RepoConfig(), tuple(sorted(problems, key=lambda p: p.line)))


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
