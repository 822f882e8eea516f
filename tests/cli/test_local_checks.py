"""Which checks a working tree has, by name, and in what they differ from CI's."""

import pytest

from bot.laptop.local_checks import local_checks
from bot.laptop.wanted import WantedChecks
from healing.view import DictView
from tests.cli.shop import GREEN

NIGHTLY = """\
name: Nightly
jobs:
  db:
    container: python:3.11
    strategy: {matrix: {python: ["3.11", "3.12"]}}
    env: {URL: "${{ secrets.DATABASE }}"}
    steps:
      - uses: acme/prepare@v1
      - name: Pytest
        run: pytest -q --on ${{ matrix.python }}
      - name: Report
        run: echo done
"""
CANT = """\
name: Cant
jobs:
  db:
    services: {queue: {image: "rabbitmq:3"}}
    steps: [{name: Pytest, run: pytest}, {name: Ruff, run: ruff check src}]
  os:
    strategy: {matrix: {os: [windows-latest, macos-14]}}
    runs-on: ${{ matrix.os }}
    steps: [{run: pytest}]
  called:
    uses: acme/shared/.github/workflows/x.yml@v1
  off:
    if: false
    steps: [{run: pytest}]
"""


def view(**files: str) -> DictView:
    """The shop with more workflow files."""
    more = {f".github/workflows/{name}.yml": text.encode() for name, text in files.items()}
    return DictView({**{name: text.encode() for name, text in GREEN.items()}, **more})


# CLI-3
@pytest.mark.parametrize(
    ("wanted", "titles"),
    [
        (WantedChecks(), {"lint / Ruff", "tests / Unit tests", "db (3.11) / Pytest", "db (3.12) / Pytest"}),
        (WantedChecks(workflow="CI"), {"lint / Ruff", "tests / Unit tests"}),
        (WantedChecks(workflow="nightly.yml"), {"db (3.11) / Pytest", "db (3.12) / Pytest"}),
        (WantedChecks(workflow="./.github/workflows/ci.yml", job="lint"), {"lint / Ruff"}),
        (WantedChecks(step="unit*"), {"tests / Unit tests"}),
        (WantedChecks(job="db", matrix=(("python", "3.12"),)), {"db (3.12) / Pytest"}),
        (WantedChecks(job="db (3.11)", step="2"), {"db (3.11) / Pytest"}),
        (WantedChecks(job="db (3.11)", step="Report"), {"db (3.11) / Report"}),
    ],
)
def test_steps_are_named_by_workflow_job_matrix_and_step(wanted: WantedChecks, titles: set[str]) -> None:
    assert {check.title for check in local_checks(view(nightly=NIGHTLY), wanted).checks} == titles


# CK-1
def test_what_is_run_otherwise_than_in_ci_is_named_with_its_place() -> None:
    file = ".github/workflows/nightly.yml"
    assert set(local_checks(view(nightly=NIGHTLY), WantedChecks(job="db")).notes) == {
        "db (3.11) / Pytest, db (3.12) / Pytest: ${{ secrets.DATABASE }} has no value here, so URL is empty"
        f" ({file}:9)",
        f"db (3.11), db (3.12): it runs in the container python:3.11, and here outside of it ({file}:4)",
        "db (3.11), db (3.12): action acme/prepare@v1 is not known here, so what it prepares may be missing"
        f" ({file}:8)",
    }


# CK-1, CLI-3
def test_what_can_not_be_run_is_a_problem_job_by_job_and_the_rest_is_run() -> None:
    found = local_checks(view(cant=CANT), WantedChecks(workflow="cant.yml"))
    file = ".github/workflows/cant.yml"
    assert [check.title for check in found.checks] == ["db / Ruff"]
    assert list(found.problems) == [
        f"db / Pytest: it needs the service rabbitmq (rabbitmq:3), which Heal does not start ({file}:4)",
        f"os (windows-latest): it runs on windows-latest, and Heal's sandbox is Linux ({file}:8)",
        f"os (macos-14): it runs on macos-14, and Heal's sandbox is Linux ({file}:8)",
        "called / …: the workflow that it calls can't be opened: acme/shared/.github/workflows/x.yml@v1 lies in another"
        f" repository ({file}:11)",
    ]
    assert f"off: its `if:` does not hold here ({file}:13)" in found.notes


def test_a_workflow_file_that_can_not_be_read_is_a_problem_and_the_others_count() -> None:
    found = local_checks(view(broken="jobs: [\n"), WantedChecks())
    assert [check.title for check in found.checks] == ["lint / Ruff", "tests / Unit tests"]
    assert found.problems[0].startswith(".github/workflows/broken.yml:2 is not readable YAML")


# UX-3
def test_where_nothing_fits_the_way_out_is_reported() -> None:
    (why,) = local_checks(view(), WantedChecks(job="deploy")).problems
    assert why == (
        "no step of the workflow files fits --job deploy; jobs are: lint, tests; name a command: heal check --run CMD, "
        "or `checks:` in .github/heal.yml"
    )
    assert local_checks(DictView({}), WantedChecks()).problems[0].startswith("no step of the workflow files is a check")


# CLI-3 UX-3
def test_without_workflow_files_what_is_usual_is_run_and_shows_no_health() -> None:
    files = {"go.mod": b"module x\n", "tox.ini": b"[tox]\nenvlist = py\n[testenv]\ncommands = pytest -q\n"}
    found = local_checks(DictView(files), WantedChecks())
    assert [check.step.run for check in found.checks] == ["pytest -q", "go test ./...", "go vet ./..."]
    assert found.notes == (
        "this repository: no workflow file says what judges it, so what is usual is run: `tox` (tox.ini), "
        "`go test ./...` (go.mod), `go vet ./...` (go.mod)",
    )
    assert found.problems == (
        "no file says what judges this repository: more may be red than what was run; name a command: heal check "
        "--run CMD, or `checks:` in .github/heal.yml",
    )
    lint = DictView({"ruff.toml": b""})
    assert [one.title for one in local_checks(lint, WantedChecks()).checks] == ["ruff check ."]
    assert local_checks(lint, WantedChecks(), lambda _: False).checks == ()
    assert local_checks(DictView({**files, **view().files}), WantedChecks()).problems == ()
    release = b"on: push\njobs: {release: {runs-on: ubuntu-latest, steps: [{run: ./publish}]}}\n"
    only = DictView({"go.mod": b"module x\n", ".github/workflows/release.yml": release})
    assert [one.title for one in local_checks(only, WantedChecks()).checks] == ["go test ./...", "go vet ./..."]
    assert local_checks(DictView(files), WantedChecks(job="x")).checks == ()


# CLI-3 UX-3
def test_where_nothing_of_the_workflows_runs_here_what_is_usual_is_run_and_the_reason_stays() -> None:
    calls = b"on: push\njobs: {test: {uses: acme/shared/.github/workflows/x.yml@v1}}\n"
    files = DictView({"go.mod": b"module x\n", ".github/workflows/ci.yml": calls})
    found = local_checks(files, WantedChecks())
    assert [one.title for one in found.checks] == ["go test ./...", "go vet ./..."]
    assert found.notes == (
        "this repository: nothing of its workflows runs here, so what is usual is run: `go test ./...` (go.mod), "
        "`go vet ./...` (go.mod)",
    )
    (why,) = found.problems
    assert "lies in another repository" in why


# UX-3
def test_many_versions_of_a_language_are_one_note() -> None:
    versions = ", ".join(f"'1.{number}'" for number in range(30, 41))
    job = f"strategy: {{matrix: {{rust: [{versions}]}}}}, runs-on: ubuntu-latest"
    steps = "[{uses: dtolnay/rust-toolchain@master, with: {toolchain: '${{ matrix.rust }}'}}, {run: cargo test}]"
    workflow = f"on: push\njobs: {{test: {{{job}, steps: {steps}}}}}\n"
    found = local_checks(DictView({".github/workflows/ci.yml": workflow.encode()}), WantedChecks())
    assert [one.step.run for one in found.checks] == ["cargo test"]
    note, _ = found.notes
    assert note.endswith("CI has Rust 1.30, 1.31, 1.32, 1.33 and 7 more, and Heal what its machine has")


def test_the_files_own_checks_come_before_the_workflows_and_after_names() -> None:
    reported = DictView({**view().files, ".github/heal.yml": b"checks: [make test]\n"})
    assert [check.title for check in local_checks(reported, WantedChecks()).checks] == ["make test"]
    assert [check.title for check in local_checks(reported, WantedChecks(job="lint")).checks] == ["lint / Ruff"]
    bad = DictView({**view().files, ".github/heal.yml": b"checks: make test\n"})
    found = local_checks(bad, WantedChecks())
    assert len(found.checks) == 2
    assert found.notes[0].startswith(".github/heal.yml: line 1: `checks`: must be a list")


# CLI-3
def test_jobs_without_a_check_that_heal_knows_are_named_in_one_note() -> None:
    job = "\n    steps: [{uses: actions/checkout@v4}, {run: ./deploy-everything --now}]\n"
    found = local_checks(view(more=f"name: More\njobs:\n  deploy:{job}  announce:{job}"), WantedChecks())
    assert "deploy, announce: nothing in it that Heal knows as a check, so it is not run" in found.notes
    asked = local_checks(view(more=f"name: More\njobs:\n  deploy:{job}"), WantedChecks(step="unit*"))
    assert not [note for note in asked.notes if "knows as a check" in note]


# CLI-3, ENV-1
def test_steps_that_may_check_something_unknown_are_named_and_keep_a_clone_from_being_called_healthy() -> None:
    steps = "[{run: pip install x}, {name: mine, run: ./judge src}, {run: pytest}, {name: out, run: ./tell upload}]"
    found = local_checks(
        view(more=f"name: More\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: {steps}\n"), WantedChecks()
    )
    (note,) = [note for note in found.notes if "doesn't know" in note]
    assert note.startswith("test / mine: not run, for Heal doesn't know whether it checks anything; name a command")
    assert found.unknown
    assert not local_checks(view(), WantedChecks()).unknown
