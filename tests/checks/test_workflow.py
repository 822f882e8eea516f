"""Workflow files are read as far as their commands can be run again; the rest is named."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.checks.finding import find_checks
from healing.checks.workflow import WorkflowError, combinations, parse_workflow
from healing.failure import FailedJob, StepFact
from healing.view import DictView

PATH = ".github/workflows/ci.yml"
CI = b"""
name: CI
on: [pull_request]
env: {TOP: "1"}
defaults: {run: {working-directory: src}}
jobs:
  test:
    name: test on ${{ matrix.python }}
    strategy:
      matrix:
        python: ["3.11", "3.12"]
        exclude: [{python: "3.12"}]
    env: {JOB: "${{ matrix.python }}"}
    steps:
      - uses: actions/checkout@v4
      - uses: acme/unknown@v1
      - name: Install
        run: pip install -r requirements.txt
      - run: ruff check .
      - name: Tests
        env: {STEP: yes, TOKEN: "${{ secrets.TOKEN }}"}
        working-directory: .
        run: |
          pytest -q
  types:
    steps:
      - run: mypy .
"""


def failed(*steps: tuple[str, str], name: str = "test on 3.11") -> FailedJob:
    return FailedJob(name, PATH, tuple(StepFact(n, c) for n, c in steps))


# CK-1
def test_a_step_keeps_its_matrix_env_folder_and_shell() -> None:
    job = parse_workflow(PATH, CI).job("test on 3.11")
    assert job is not None
    ruff, tests = job.steps[3], job.steps[4]
    assert ruff.name == "Run ruff check ."
    assert ruff.script is not None
    assert ruff.script.cwd == "src"
    assert tests.script is not None
    assert tests.script.env == {"TOP": "1", "JOB": "3.11", "STEP": "yes", "TOKEN": ""}
    assert tests.script.cwd == "."
    assert tests.unknown == ("secrets.TOKEN",)


# CK-1
def test_the_failed_step_is_found_with_its_set_up_and_skipped_checks_count_as_failing() -> None:
    job = failed(("Install", "success"), ("Run ruff check .", "failure"), ("Tests", "skipped"))
    found = find_checks((job,), DictView({PATH: CI}))
    assert [c.title for c in found.failing] == ["test on 3.11 / Run ruff check .", "test on 3.11 / Tests"]
    assert [s.name for s in found.failing[0].setup] == ["Install"]
    assert [c.title for c in found.guards] == ["types / Run mypy ."]
    assert [n.why for n in found.not_looked] == ["action acme/unknown@v1 is not known here"]


# CK-1
@pytest.mark.parametrize(
    ("job", "why"),
    [
        (FailedJob("x", None), "GitHub names no workflow file"),
        (FailedJob("x", ".github/workflows/none.yml"), "is not in the tree that CI built"),
        (FailedJob("nope", PATH), "has no job called “nope”"),
    ],
)
def test_a_job_whose_command_is_not_known_is_said_to_be_so(job: FailedJob, why: str) -> None:
    found = find_checks((job,), DictView({PATH: CI}))
    assert found.failing == ()
    assert why in found.not_looked[0].why


def test_matrix_include_extends_and_adds() -> None:
    matrix = {"a": [1, 2], "include": [{"a": 1, "b": "x"}, {"a": 9}]}
    assert combinations(matrix) == [{"a": "1", "b": "x"}, {"a": "2"}, {"a": "9"}]


@given(st.binary(max_size=300) | st.text(alphabet="jobs: {}[]-\n &*!runstep", max_size=200).map(str.encode))
def test_a_hostile_workflow_file_is_a_workflow_error_or_a_workflow(data: bytes) -> None:
    with contextlib.suppress(WorkflowError):
        parse_workflow(PATH, data)
