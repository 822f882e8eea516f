"""Which checks a working tree has, by name, and in what they differ from CI's."""

import pytest

from bot.laptop.wanted import Wanted, local_checks
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
        (Wanted(), {"lint / Ruff", "tests / Unit tests", "db (3.11) / Pytest", "db (3.12) / Pytest"}),
        (Wanted(workflow="CI"), {"lint / Ruff", "tests / Unit tests"}),
        (Wanted(workflow="nightly.yml"), {"db (3.11) / Pytest", "db (3.12) / Pytest"}),
        (Wanted(workflow="./.github/workflows/ci.yml", job="lint"), {"lint / Ruff"}),
        (Wanted(step="unit*"), {"tests / Unit tests"}),
        (Wanted(job="db", matrix=(("python", "3.12"),)), {"db (3.12) / Pytest"}),
        (Wanted(job="db (3.11)", step="2"), {"db (3.11) / Pytest"}),
        (Wanted(job="db (3.11)", step="Report"), {"db (3.11) / Report"}),
        (Wanted(command="make test"), {"make test"}),
    ],
)
def test_steps_are_named_by_workflow_job_matrix_and_step(wanted: Wanted, titles: set[str]) -> None:
    assert {check.title for check in local_checks(view(nightly=NIGHTLY), wanted).checks} == titles


# CK-1
def test_what_is_run_otherwise_than_in_ci_is_named_with_its_place() -> None:
    file = ".github/workflows/nightly.yml"
    assert set(local_checks(view(nightly=NIGHTLY), Wanted(job="db")).notes) == {
        "db (3.11) / Pytest, db (3.12) / Pytest: ${{ secrets.DATABASE }} has no value here, so URL is empty"
        f" ({file}:9)",
        f"db (3.11), db (3.12): it runs in the container python:3.11, and here outside of it ({file}:4)",
        "db (3.11), db (3.12): action acme/prepare@v1 is not known here, so what it prepares may be missing"
        f" ({file}:8)",
    }


# CK-1, CLI-3
def test_what_can_not_be_run_is_a_problem_job_by_job_and_the_rest_is_run() -> None:
    found = local_checks(view(cant=CANT), Wanted(workflow="cant.yml"))
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
    found = local_checks(view(broken="jobs: [\n"), Wanted())
    assert [check.title for check in found.checks] == ["lint / Ruff", "tests / Unit tests"]
    assert found.problems[0].startswith(".github/workflows/broken.yml:2 is not readable YAML")


# UX-3
def test_where_nothing_fits_the_way_out_is_said() -> None:
    (why,) = local_checks(view(), Wanted(job="deploy")).problems
    assert why == (
        "no step of the workflow files fits --job deploy; jobs are: lint, tests; name a command: heal check --run CMD, "
        "or `checks:` in .github/heal.yml"
    )
    assert local_checks(DictView({}), Wanted()).problems[0].startswith("no step of the workflow files is a check")


def test_the_files_own_checks_come_before_the_workflows_and_after_names() -> None:
    told = DictView({**view().files, ".github/heal.yml": b"checks: [make test]\n"})
    assert [check.title for check in local_checks(told, Wanted()).checks] == ["make test"]
    assert [check.title for check in local_checks(told, Wanted(job="lint")).checks] == ["lint / Ruff"]
    bad = DictView({**view().files, ".github/heal.yml": b"checks: make test\n"})
    found = local_checks(bad, Wanted())
    assert len(found.checks) == 2
    assert found.notes[0].startswith(".github/heal.yml: line 1: `checks`: must be a list")
