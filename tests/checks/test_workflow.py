"""Workflow files are read as far as their commands can be run again; the rest is named."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healing.checks.finding import find_checks
from healing.checks.job import name_matches
from healing.checks.reproducing import reproduce
from healing.checks.workflow import WorkflowError, parse_workflow
from healing.failed_jobs import FailedJob, StepFact
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


def failed(*steps: tuple[str, str], name: str = "test on 3.11", path: str = PATH) -> FailedJob:
    return FailedJob(name, path, tuple(StepFact(n, c) for n, c in steps))


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
    assert [n.why for n in found.not_looked] == [
        f"action acme/unknown@v1 is not known here, so what it prepares may be missing ({PATH}:16)"
    ]


# CK-1
@pytest.mark.parametrize(
    ("job", "why"),
    [
        (FailedJob("x", None), "GitHub names no workflow file"),
        (FailedJob("x", ".github/workflows/none.yml"), "is not in the tree that CI built"),
        (FailedJob("nope", PATH), "has no job called “nope”"),
        (failed(("Set up job", "failure")), "it is no step of the file"),
        (failed(("Run acme/unknown@v1", "failure")), f"it is the action acme/unknown@v1, no command ({PATH}:16)"),
    ],
)
def test_a_job_whose_command_is_not_known_is_reported_as_such(job: FailedJob, why: str) -> None:
    found = find_checks((job,), DictView({PATH: CI}))
    assert found.failing == ()
    assert why in found.not_looked[0].why


# CK-1
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("unit (3.11, linux)", "unit (3.11, linux)"),
        ("CI / unit (3.12, linux)", "unit (3.12, linux)"),
        ("Checks", "Checks"),
        ("deploy to production", "deploy to …"),
        ("called (a) / inner job", "called (a) / inner job"),
        ("plain", "plain"),
        ("unit", "unit (3.11, linux)"),
        ("nobody", None),
    ],
)
def test_a_job_is_found_by_the_name_that_github_shows(asked: str, found: str | None) -> None:
    flow = parse_workflow(PATH, NAMES, {".github/workflows/called.yml": CALLED}.get)
    job = flow.job(asked)
    assert (job.name if job else None) == found


NAMES = b"""
name: CI
jobs:
  unit:
    strategy: {matrix: {python: ["3.11", "3.12"], os: [linux]}}
    steps: [{run: pytest}]
  lint: {name: Checks, steps: [{run: ruff check .}]}
  deploy: {name: "deploy to ${{ vars.WHERE }}", steps: [{run: make}]}
  called: {strategy: {matrix: {x: [a]}}, uses: ./.github/workflows/called.yml}
  plain: {steps: [{run: make}]}
"""
CALLED = b"on: {workflow_call: }\njobs: {inner: {name: inner job, steps: [{run: pytest}]}}\n"


# CK-1
def test_what_ci_skipped_is_no_set_up_and_where_ci_says_nothing_the_condition_counts() -> None:
    text = b"""
jobs:
  j:
    steps:
      - {name: A, run: echo a, if: github.ref == 'refs/heads/main'}
      - {name: B, run: echo b, if: runner.os == 'Windows'}
      - {name: T, run: pytest}
"""
    flow = parse_workflow(PATH, text)
    reported = find_checks((failed(("A", "skipped"), ("T", "failure"), name="j"),), DictView({PATH: text}))
    assert reported.failing[0].setup == ()
    assert reported.not_looked == ()
    here = reproduce(flow, flow.jobs[0], flow.jobs[0].scripts()[2])
    assert [s.name for s in here.check.setup] == ["A"]
    assert "github.ref" in here.notes[0].why


# CK-1
def test_a_job_for_tags_only_is_not_taken_to_run_for_a_branch() -> None:
    text = b"""
jobs:
  released: {if: "contains(github.ref, 'refs/tags/')", steps: [{run: pytest}]}
  tagged: {if: github.ref_type == 'tag', steps: [{run: pytest}]}
  main: {if: github.ref == 'refs/heads/main', steps: [{run: pytest}]}
  heads: {if: "!startsWith(github.ref, 'refs/tags/')", steps: [{run: pytest}]}
"""
    reached = {job.name: job.reached for job in parse_workflow(PATH, text).jobs}
    assert reached == {"released": False, "tagged": False, "main": None, "heads": True}


# CK-1
def test_a_failed_step_that_can_not_be_run_here_is_named_and_never_run() -> None:
    text = b"""
jobs:
  j:
    runs-on: windows-latest
    steps: [{name: T, run: pytest}]
  k:
    services: {db: {image: "rabbitmq:3"}}
    steps: [{name: T, run: pytest}, {name: L, run: ruff check .}]
"""
    jobs = tuple(failed(("T", "failure"), ("L", "failure"), name=name) for name in "jk")
    found = find_checks(jobs, DictView({PATH: text}))
    assert [c.title for c in found.failing] == ["k / L"]
    assert [(n.what, n.why) for n in found.not_looked] == [
        ("j / T", f"it runs on windows-latest, and Heal's sandbox is Linux ({PATH}:4)"),
        ("j / L", "it is no step of the file"),
        ("k / T", f"it needs the service rabbitmq (rabbitmq:3), which Heal does not start ({PATH}:7)"),
    ]
    assert found.guards == ()


# CK-1
def test_a_failed_action_of_the_repository_is_opened_and_its_checks_are_run() -> None:
    text = b"jobs: {j: {steps: [{name: All, uses: ./ci}, {run: pytest}]}}"
    action = b"""
runs:
  using: composite
  steps:
    - {run: pip install x, shell: bash}
    - {name: Ruff, run: ruff check ., shell: bash}
    - {run: mypy ., shell: bash}
"""
    view = DictView({PATH: text, "ci/action.yml": action})
    found = find_checks((failed(("All", "failure"), name="j"),), view)
    assert [c.title for c in found.failing] == ["j / Ruff", "j / Run mypy ."]
    assert [s.run for s in found.failing[1].setup] == ["pip install x"]
    assert [c.title for c in found.guards] == ["j / Run pytest"]


def test_timeouts_and_tolerated_steps_are_kept() -> None:
    steps = b"[{run: make deps, continue-on-error: true}, {run: pytest, timeout-minutes: 2}]"
    text = b"jobs: {j: {timeout-minutes: 30, steps: " + steps + b"}}"
    flow = parse_workflow(PATH, text)
    check = reproduce(flow, flow.jobs[0], flow.jobs[0].scripts()[1]).check
    assert check.seconds == 120
    assert check.setup[0].tolerant


@pytest.mark.parametrize(
    ("shown", "name", "fits"),
    [
        ("test …", "test 3.11", True),
        ("test …", "tests", False),
        ("a … b … c", "a 1 b 2 c", True),
        ("a … b … c", "a 1 c", False),
        ("…", "anything", False),
        ("same", "same", True),
        ("aXX…XXa", "aXXa", False),
    ],
)
def test_unknown_parts_of_a_name_fit_anything_but_not_nothing_known(shown: str, name: str, fits: bool) -> None:
    assert name_matches(shown, name) is fits


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("jobs: [\n", f"{PATH}:2 is not readable YAML"),
        ("jobs: {}\n", f"{PATH}:1 has no jobs"),
        ("on: push\njobs: [a]\n", f"{PATH}:2: `jobs` has to be a mapping"),
        ("jobs:\n  a:\n    steps: x\n", f"{PATH}:3: `steps` has to be a list"),
        ("jobs:\n  a:\n    steps:\n      - x\n", f"{PATH}:4: a step has to be a mapping"),
        ("jobs:\n  a:\n    steps:\n      - name: x\n", f"{PATH}:4: a step needs `run` or `uses`"),
        (
            "jobs:\n  a: {steps: []}\n  a: {steps: []}\n",
            f"{PATH}:3 is not readable YAML: the key “a” stands there twice",
        ),
        ("x: &x {a: 1}\njobs:\n  <<: *x\n", f"{PATH}:3 is not readable YAML: merge keys"),
        ("jobs: &j\n  a: *j\n", "nested deeper than"),
        ("x: " + "[" * 5000, "is not readable YAML"),
        ("\x00", "is not readable YAML"),
        ("- a\n", f"{PATH}:1 is no mapping"),
        ("a" * 600_000, "longer than 512 KiB"),
    ],
)
def test_a_bad_file_is_refused_with_its_line_and_reason(text: str, why: str) -> None:
    with pytest.raises(WorkflowError) as refused:
        parse_workflow(PATH, text.encode())
    assert why in str(refused.value)


def test_a_bomb_of_aliases_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(WorkflowError, match="more than 60000 values"):
        parse_workflow(PATH, "\n".join([*lines, "jobs: {j: {steps: []}}"]).encode())


def test_a_bomb_of_combinations_is_refused() -> None:
    axis = list(range(16))
    steps = ", ".join(["{run: x}"] * 200)
    text = f"jobs: {{j: {{strategy: {{matrix: {{a: {axis}, b: {axis}}}}}, steps: [{steps}]}}}}"
    with pytest.raises(WorkflowError, match="more than 20000 steps"):
        parse_workflow(PATH, text.encode())


def test_a_bomb_of_actions_is_refused() -> None:
    files = {
        f"a{n}/action.yml": f"runs: {{using: composite, steps: [{', '.join([f'{{uses: ./a{n + 1}}}'] * 9)}]}}".encode()
        for n in range(12)
    }
    with pytest.raises(WorkflowError, match="more than 20000 steps"):
        parse_workflow(PATH, b"jobs: {j: {steps: [{uses: ./a0}]}}", files.get)


YAML_WORDS = st.sampled_from(
    ["jobs", "steps", "run", "uses", "matrix", "include", "exclude", "strategy", "with", "env", "if", "name", "./a",
     "${{ fromJSON('[1]') }}", "${{matrix.x}}", "services", "container", "shell", "defaults", "runs-on", "id",
     "timeout-minutes", "continue-on-error", "working-directory", "image"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | YAML_WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(YAML_WORDS | st.text(max_size=5), inner, max_size=5),
    max_leaves=30,
)


@given(st.binary(max_size=300) | st.text(alphabet="jobs: {}[]-\n &*!runstep<>|?%@`'\"", max_size=200).map(str.encode))
def test_a_hostile_workflow_file_is_a_workflow_error_or_a_workflow(data: bytes) -> None:
    with contextlib.suppress(WorkflowError):
        parse_workflow(PATH, data)


@settings(max_examples=300, deadline=None)
@given(VALUES, VALUES, VALUES)
def test_whatever_stands_in_a_job_is_a_workflow_error_or_a_workflow_whose_checks_can_be_named(
    job: object, step: object, action: object
) -> None:
    body = {**job, "steps": [step]} if isinstance(job, dict) and isinstance(step, dict) else job
    data = json.dumps({"jobs": {"j": body}}).encode()
    read = {"a/action.yml": json.dumps({"runs": {"using": "composite", "steps": [action]}}).encode()}.get
    with contextlib.suppress(WorkflowError):
        flow = parse_workflow(PATH, data, read)
        for one in flow.jobs:
            for script in one.scripts():
                assert reproduce(flow, one, script).check.title
