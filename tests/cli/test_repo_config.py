"""`.github/heal.yml` is strict: every key is honoured and documented, a bad file is answered with line and reason."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from bot.cli import main
from bot.repo_config import RepoConfig, json_schema, read_repo_config
from bot.repo_config.page import page
from healing.repair.agents.rules import AgentRules
from tests.cli.conftest import HERE, Heal, make_clone
from tests.cli.shop import BROKEN, GREEN

MATCHER = "problem_matchers:\n  - owner: a\n    pattern:\n      - regexp: '^! (.*)$'\n        message: 1\n"
BAD = [
    ("checsk: []\n", 1, "unknown key `checsk`; did you mean `checks`?"),
    ("\n\nrules: no\n", 3, "unknown key `rules`; known keys: checks, setup, problem_matchers"),
    ("checks: pytest\n", 1, "`checks`: must be a list, with a `- ` before each entry"),
    ("# x\nsetup: [make]\n", 2, "`setup`: is run before `checks:` alone, and the file names none: name them too"),
    ("checks:\n  - pytest\n  - 3\n", 3, "`checks[1]`: must be text; put quotes around it"),
    ("checks: [a]\nchecks: [b]\n", 2, "duplicate key"),
    ("# x\nchecks: [\n", 3, "not readable as YAML"),
    ("- pytest\n", 1, "must be keys with values"),
    ("problem_matchers:\n  - 3\n", 2, "`problem_matchers[0]`: must be a problem matcher with `owner` and `pattern`"),
    ("problem_matchers:\n  - /etc/x.json\n", 2, "`problem_matchers[0]`: must be a path inside the repository"),
    ("problem_matchers:\n  - owner: a\n", 2, "`problem_matchers[0].pattern`: is missing"),
    (MATCHER + "        fil: 1\n", 6, "unknown key `problem_matchers[0].pattern[0].fil`; did you mean `file`?"),
    (MATCHER + "        column: 2\n", 4, "`column` is group 2, but the expression has only 1"),
    (MATCHER.replace("(.*)", "(?=x)(.*)"), 4, "RE2 can't run the expression: invalid perl operator: (?=."),
    (MATCHER + MATCHER.partition("\n")[2], 1, "`problem_matchers`: the owner `a` is there twice"),
    (MATCHER + "    severity: fatal\n", 6, "`problem_matchers[0].severity`: Input should be 'error', 'warning' or"),
    ("autofix:\n  - {name: a, run: b}\n  - name: a\n    run: b\n    x: c\n", 5, "unknown key `autofix[1].x`"),
    ("network: [pypi]\n", 1, "`network`: 'pypi' is no name of a host"),
    ("network: sometimes\n", 1, "`network`: "),
    ("network: true\n", 1, "`network`: "),
    ("report_only: [lints]\n", 1, "`report_only[0]`: Input should be 'syntax', 'indentation'"),
    ("caps:\n  files: 0\n", 2, "`caps.files`: must be at least 1"),
    ("caps:\n  lines: 90000\n", 2, "`caps.lines`: must be at most 5000"),
    ("caps:\n  lines: many\n", 2, "`caps.lines`: must be a whole number"),
    ("skip:\n  draft: true\n", 2, "unknown key `skip.draft`; did you mean `drafts`?"),
    ("a: 2001-99-99\n", 1, "not readable as YAML"),
    ("[" * 1000, 1, "not readable as YAML"),
]
CLOSED = [
    ("never_touch:\n  path: [db/]\n", 2, "unknown key `never_touch.path`; did you mean `paths`?"),
    ("never_touch:\n  paths:\n    - ../x\n", 3, "`never_touch.paths[0]`: must be a pattern for paths inside the repo"),
    ("never_touch:\n  paths: db/\n", 2, "`never_touch.paths`: must be a list, with a `- ` before each entry"),
    ("never_touch:\n  rules: [501]\n", 2, "`never_touch.rules[0]`: must be text; put quotes around it"),
]


# OP-7
@pytest.mark.parametrize(("text", "line", "reason"), BAD)
def test_a_bad_file_is_answered_with_line_and_reason_and_the_defaults_go_on(text: str, line: int, reason: str) -> None:
    read = read_repo_config(text.encode())
    assert read.problems[0].line == line
    assert reason in read.problems[0].reason
    assert read.config == RepoConfig()
    assert f"line {line}: " in read.not_looked()[0].why


# OP-10
@pytest.mark.parametrize(("text", "line", "reason"), CLOSED)
def test_where_what_is_never_touched_cannot_be_read_nothing_is_touched(text: str, line: int, reason: str) -> None:
    read = read_repo_config(text.encode())
    assert read.problems[0].line == line
    assert reason in read.problems[0].reason
    assert read.fix_policy().why_forbidden(["any/file.py"])


# OP-10
def test_a_slip_in_another_key_opens_nothing_that_the_file_closes() -> None:
    policy = "never_touch: {paths: [db/]}\nreport_only: [security]\n"
    read = read_repo_config(f"{policy}chekcs: []\n".encode())
    assert read.problems
    assert read.fix_policy() == read_repo_config(policy.encode()).fix_policy()
    assert read.fix_policy().why_forbidden(["db/one.sql"])
    assert read_repo_config(f"{policy}checks: [\n".encode()).fix_policy().why_forbidden(["any/file.py"])


# OP-10, LM-6
def test_a_slip_in_another_key_leaves_no_more_money_to_agents() -> None:
    bounded = read_repo_config(b"agents: {dollars: 2, models: [cheap], commands: [make all]}\nchekcs: []\n")
    assert bounded.problems
    assert bounded.config.agents == AgentRules(dollars=2, models=("cheap",)), "what a bad file opens stays closed"
    assert read_repo_config(b"agents: {dollars: two}\n").config.agents == AgentRules(dollars=0)


# OP-7
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("checsk: []\n", (1, 1)),
        ("checks:\n  - pytest\n  - 3\n", (3, 5)),
        (MATCHER + "        fil: 1\n", (6, 9)),
        ("checks: [a, b\nagents: {}\n", (2, 7)),
        ("checks:\n  - \xff\n", (2, 5)),
    ],
)
def test_the_column_is_told_too(text: str, place: tuple[int, int]) -> None:
    data = text.encode("latin-1") if "\xff" in text else text.encode()
    (problem, *_) = read_repo_config(data).problems
    assert (problem.line, problem.column) == place


@given(st.one_of(st.binary(max_size=200), st.text("checks:[]{}&*!- \n'\"|>%@`0129.é\t", max_size=60).map(str.encode)))
@settings(deadline=None)
def test_no_bytes_make_it_raise(data: bytes) -> None:
    read = read_repo_config(data)
    assert read.problems == () or read.config == RepoConfig()


@given(st.lists(st.text("abc -\"':#\né", min_size=1).filter(str.strip), max_size=5))
@settings(deadline=None)
def test_what_the_schema_allows_is_read_as_it_is_meant(commands: list[str]) -> None:
    text = json.dumps({"checks": commands})
    jsonschema_rs.validator_for(json_schema()).validate(json.loads(text))
    read = read_repo_config(text.encode())
    assert read.problems == ()
    assert [c.step.run for c in read.checks()] == [c.strip() for c in commands]


# OP-7
def test_every_key_is_documented_and_the_page_is_in_step_with_the_model() -> None:
    assert all(field.description for field in RepoConfig.model_fields.values())
    assert (HERE / "docs/config.md").read_text() == page(), "make it anew: python -m bot.repo_config.page"
    for example in page().split("```yaml\n")[1:]:
        assert read_repo_config(example.partition("```")[0].encode()).problems == ()


def test_the_command_line_answers_a_bad_file_with_2(heal: Heal, room: Path) -> None:
    (room / "heal.yml").write_text("checks:\n  - 3\n")
    result = heal("config", "check", "heal.yml", cwd=room)
    assert result.code == 2
    assert result.out.splitlines()[0] == "heal.yml:2:5: `checks[0]`: must be text; put quotes around it"


# EX-7, OP-7
def test_matchers_are_read_from_the_file_and_from_json_that_it_names() -> None:
    text = MATCHER + "  - .github/m.json\n  - .github/none.json\n"
    listed = {"owner": "b", "pattern": [{"regexp": "(.*)", "message": 1}]}
    files = {".github/m.json": json.dumps({"problemMatcher": [listed]}).encode()}
    found, wrong = read_repo_config(text.encode()).matchers(files.get)
    assert [one.owner for one in found] == ["a", "b"]
    assert [(one.what, one.why) for one in wrong] == [
        ("problem matchers of .github/none.json", "the repository has no such file")
    ]


# EX-7, CLI-2
def test_the_clones_own_matchers_read_what_its_checks_print_and_a_bad_file_is_named(heal: Heal, room: Path) -> None:
    config = (
        "checks:\n  - test ! -e ours.txt || { echo '! shop.py is not how we write'; false; }\n"
        + MATCHER
        + "  - none.json\n"
    )
    clone = make_clone(room / "matched", GREEN, {**BROKEN, ".github/heal.yml": config})
    checked = heal("config", "check", cwd=clone)
    assert checked.code == 2
    assert checked.out.splitlines()[0].endswith(":8:1: problem matchers of none.json: the repository has no such file")
    (clone / "ours.txt").write_text("")
    result = heal("check", cwd=clone)
    assert "shop.py is not how we write  [a]" in result.out
    assert "problem matchers of none.json" in result.out + result.err


# EX-7, CLI-2
def test_a_log_is_read_with_matchers_that_are_named(heal: Heal, room: Path) -> None:
    listed = {"owner": "house", "pattern": [{"regexp": r"^(.+) <(\d+)> (.*)$", "file": 1, "line": 2, "message": 3}]}
    (room / "m.json").write_text(json.dumps({"problemMatcher": [listed]}))
    (room / "x.log").write_text("src/a.zz <3> not how we write\n")
    result = heal("extract", "--matcher", "m.json", "x.log", cwd=room)
    assert result.out == "src/a.zz:3: not how we write  [house]\n"
    (room / "m.json").write_text("{}")
    refused = heal("extract", "--matcher", "m.json", "x.log", cwd=room)
    assert refused.code == 2
    assert 'it has no list under "problemMatcher"' in refused.err


def test_the_schema_is_printed_for_editors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json_schema()


# OP-7, CLI-3
def test_checks_of_the_file_are_run_in_place_of_the_workflows(heal: Heal, room: Path) -> None:
    reported = {".github/heal.yml": "checks:\n  - ruff check --select F401 .\n"}
    clone = make_clone(room / "configured", GREEN, {**BROKEN, **reported})
    assert heal("config", "check", ".github/heal.yml", cwd=clone).code == 0
    result = heal("check", "--quiet", cwd=clone)
    assert result.code == 1
    *errors, ended = result.out.splitlines()
    assert {error.partition("[")[2] for error in errors} == {"ruff F401]"}
    assert ended.startswith("red  ruff check --select F401 .: exit code 1")


# ENV-2
@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("checks: [a]\n", ("default",)),
        ("network: default\n", ("default",)),
        ("network: off\n", ()),
        ("network: 'off'\n", ()),
        ("network: []\n", ()),
        ("network: [default, packages.example.com]\n", ("default", "packages.example.com")),
        ("network: [pypi.org]\n", ("pypi.org",)),
    ],
)
def test_set_up_reaches_the_usual_indexes_unless_the_file_says_otherwise(text: str, network: tuple[str, ...]) -> None:
    read = read_repo_config(text.encode())
    assert read.problems == ()
    assert read.config.network == network
    jsonschema_rs.validate(json_schema(), {"checks": ["a"]} if "checks" in text else {"network": _yaml(text)})


def _yaml(text: str) -> object:
    return YAML(typ="safe").load(text)["network"]
