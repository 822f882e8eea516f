"""`.github/heal.yml` is strict: every key is honoured and documented, a bad file is answered with line and reason."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cli import main
from bot.config_page import page
from bot.repo_config import RepoConfig, json_schema, read_repo_config
from tests.cli.conftest import HERE, Heal, make_clone
from tests.cli.shop import BROKEN, GREEN

BAD = [
    ("checsk: []\n", 1, "`checsk` is no key of Heal's; did you mean `checks`?"),
    ("\n\nrules: no\n", 3, "`rules` is no key of Heal's; known are: checks"),
    ("checks: pytest\n", 1, "`checks`: must be a list, with a `- ` before each entry"),
    ("checks:\n  - pytest\n  - 3\n", 3, "`checks[1]`: must be text; put quotes around it"),
    ("checks: [a]\nchecks: [b]\n", 2, "duplicate key"),
    ("# x\nchecks: [\n", 3, "not readable as YAML"),
    ("- pytest\n", 1, "must be keys with values"),
    ("a: 2001-99-99\n", 1, "not readable as YAML"),
    ("[" * 1000, 1, "not readable as YAML"),
]


# OP-7
@pytest.mark.parametrize(("text", "line", "reason"), BAD)
def test_a_bad_file_is_answered_with_line_and_reason_and_the_defaults_go_on(text: str, line: int, reason: str) -> None:
    read = read_repo_config(text.encode())
    assert read.problems[0].line == line
    assert reason in read.problems[0].reason
    assert read.config == RepoConfig()
    assert f"line {line}: " in read.not_looked()[0].why


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
    assert (HERE / "docs/config.md").read_text() == page(), "make it anew: python -m bot.config_page"
    for example in page().split("```yaml\n")[1:]:
        assert read_repo_config(example.partition("```")[0].encode()).problems == ()


def test_the_command_line_answers_a_bad_file_with_2(heal: Heal, room: Path) -> None:
    (room / "heal.yml").write_text("checks:\n  - 3\n")
    said = heal("config", "check", "heal.yml", cwd=room)
    assert said.code == 2
    assert said.out.splitlines()[0] == "heal.yml:2: `checks[0]`: must be text; put quotes around it"


def test_the_schema_is_printed_for_editors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json_schema()


# OP-7, CLI-3
def test_checks_of_the_file_are_run_in_place_of_the_workflows(heal: Heal, room: Path) -> None:
    told = {".github/heal.yml": "checks:\n  - ruff check --select F401 .\n"}
    clone = make_clone(room / "configured", GREEN, {**BROKEN, **told})
    assert heal("config", "check", cwd=clone / "shop").code == 0
    said = heal("check", "--quiet", cwd=clone)
    assert said.code == 1
    *errors, ended = said.out.splitlines()
    assert {error.partition("[")[2] for error in errors} == {"ruff F401]"}
    assert ended.startswith("red  ruff check --select F401 .: exit code 1")
