"""The question “Can Heal reproduce my CI?”, answered from the files alone; and the entry of heal.yml for a step."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.repo_config import read_repo_config
from healing.checks.check import WORKSPACE, Script
from healing.checks.remedies import command, entry, file_of, remark, setup_command
from healing.checks.survey import SurveyedJob, survey
from healing.view import DictView

CI = """\
jobs:
  lint: {steps: [{run: ruff check .}, {run: mypy ., continue-on-error: true}]}
  tests:
    strategy: {matrix: {os: [windows-latest, ubuntu-latest]}}
    runs-on: ${{ matrix.os }}
    steps: [{run: pytest}]
  mixed:
    services: {queue: "rabbitmq:3"}
    steps: [{run: ruff check .}, {run: pytest}]
  tolerant: {steps: [{run: pytest, continue-on-error: true}]}
  elsewhere: {uses: acme/shared/.github/workflows/x.yml@v1}
  unknown: {steps: [{uses: acme/lint@v1}]}
  deploy: {steps: [{run: ./deploy.sh}]}
  off: {if: false, steps: [{run: pytest}]}
"""


def jobs(**files: str) -> list[SurveyedJob]:
    return list(survey(DictView({f".github/workflows/{name}.yml": text.encode() for name, text in files.items()})))


# CK-8
def test_every_job_of_every_workflow_gets_an_answer_and_a_place() -> None:
    file = ".github/workflows/ci.yml"
    assert [(job.name, job.state({}), job.place) for job in jobs(ci=CI)] == [
        ("lint", "reproducible", f"{file}:2"),
        ("tests (windows-latest)", "not reproducible", f"{file}:4"),
        ("tests (ubuntu-latest)", "reproducible", f"{file}:4"),
        ("mixed", "not reproducible", f"{file}:8"),
        ("tolerant", "skipped", f"{file}:10"),
        ("elsewhere / …", "not reproducible", f"{file}:11"),
        ("unknown", "no checks", f"{file}:12"),
        ("deploy", "no checks", f"{file}:13"),
        ("off", "skipped", f"{file}:14"),
    ]


# CK-8, CK-1
def test_the_reason_names_its_line_and_what_may_be_a_check_is_named_too() -> None:
    reported = {job.name: job for job in jobs(ci=CI)}
    (_, pytest_step) = reported["mixed"].checks
    assert [str(one) for one in pytest_step.blockers] == [
        "it needs the service rabbitmq (rabbitmq:3), which Heal does not start (.github/workflows/ci.yml:8)"
    ]
    assert [str(one) for one in reported["unknown"].perhaps] == [
        "action acme/lint@v1 is not known here, so what it prepares may be missing (.github/workflows/ci.yml:12)"
    ]


# CK-8
def test_a_file_that_can_not_be_read_is_an_answer_and_the_others_get_theirs() -> None:
    broken, lint = jobs(a="jobs: [\n", b="jobs: {lint: {steps: [{run: ruff check .}]}}")
    assert (broken.state({}), lint.state({})) == ("not reproducible", "reproducible")
    assert "not readable YAML" in str(broken.reasons[0])


def script(run: str, **more: object) -> Script:
    return Script.model_validate({"name": "x", "run": run, "shell": "bash", **more})


# CK-8
@pytest.mark.parametrize(
    ("step", "reported"),
    [
        (script("pytest -q\n"), "pytest -q"),
        (script("npm test", cwd="web"), "cd web\nnpm test"),
        (script("npm test", cwd=f"{WORKSPACE}/my web"), "cd 'my web'\nnpm test"),
        (script("pytest", env={"A": "it's", "EMPTY": ""}), "export A='it'\"'\"'s'\npytest"),
        (script(f"{WORKSPACE}/run.sh"), "$GITHUB_WORKSPACE/run.sh"),
        (script("x", env={"A": f"{WORKSPACE}/my lib"}), "export A=\"$GITHUB_WORKSPACE\"'/my lib'\nx"),
        (script("print(1)", shell="python"), ""),
        (script("dir", shell="pwsh"), ""),
        (script("pytest", cwd="/elsewhere"), ""),
        (script(""), ""),
        (script("x" * 3000), ""),
    ],
)
def test_a_step_as_a_person_would_type_it(step: Script, reported: str) -> None:
    assert command(step) == reported


# CK-8
def test_a_set_up_step_that_may_fail_in_ci_may_fail_in_heal_yml() -> None:
    assert setup_command(script("make deps", cwd="web")) == "cd web\nmake deps"
    assert setup_command(script("make extra", tolerant=True)) == "(\nmake extra\n) || true"
    assert setup_command(script("print(1)", shell="python", tolerant=True)) == ""


# CK-8, OP-7
@given(st.lists(st.text("abc -\"':#\né\t{}[]&*!|>%@`0129\x07", min_size=1).filter(str.strip), min_size=1, max_size=4))
@example(["0 \n0"])
@example(["a\n\n  \n\tb \\\nc"])
@settings(deadline=None, max_examples=200)
def test_entries_are_read_back_from_heal_yml_as_they_were_meant(commands: list[str]) -> None:
    text = file_of(entry(one.strip(), remark(["secrets.A\nB"])) for one in commands)
    read = read_repo_config(text.encode())
    assert read.problems == ()
    assert [check.step.run for check in read.checks()] == [one.strip() for one in commands]
