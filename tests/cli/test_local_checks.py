"""Which checks a working tree has, by name, and in what they differ from CI's."""

import pytest

from bot.local_checks import Wanted, local_checks
from healing.view import DictView
from tests.cli.shop import GREEN

SERVICES = """\
name: Nightly
jobs:
  db:
    container: python:3.11
    services: {postgres: {image: postgres}}
    steps:
      - name: Pytest
        run: pytest -q --url ${{ secrets.DATABASE }}
"""


def view(**files: str) -> DictView:
    """The shop with more workflow files."""
    more = {f".github/workflows/{name}.yml": text.encode() for name, text in files.items()}
    return DictView({**{name: text.encode() for name, text in GREEN.items()}, **more})


# CLI-3
@pytest.mark.parametrize(
    ("wanted", "titles"),
    [
        (Wanted(), {"lint / Ruff", "tests / Unit tests", "db / Pytest"}),
        (Wanted(workflow="CI"), {"lint / Ruff", "tests / Unit tests"}),
        (Wanted(workflow="nightly.yml"), {"db / Pytest"}),
        (Wanted(workflow=".github/workflows/ci.yml", job="lint"), {"lint / Ruff"}),
        (Wanted(step="unit*"), {"tests / Unit tests"}),
        (Wanted(command="make test"), {"make test"}),
    ],
)
def test_steps_are_named_by_workflow_job_and_step(wanted: Wanted, titles: set[str]) -> None:
    assert {check.title for check in local_checks(view(nightly=SERVICES), wanted).checks} == titles


# CK-1
def test_what_is_run_otherwise_than_in_ci_is_named() -> None:
    assert set(local_checks(view(nightly=SERVICES), Wanted(job="db")).notes) == {
        "db / Pytest: ${{ secrets.DATABASE }} has no value here, so it is empty",
        "db: run without its services (postgres)",
        "db: run without its container",
    }


def test_a_workflow_file_that_can_not_be_read_is_a_problem_and_the_others_count() -> None:
    found = local_checks(view(broken="jobs: [\n"), Wanted())
    assert [check.title for check in found.checks] == ["lint / Ruff", "tests / Unit tests"]
    assert found.problems[0].startswith(".github/workflows/broken.yml is not readable YAML")


# UX-3
def test_where_nothing_fits_the_way_out_is_said() -> None:
    (why,) = local_checks(view(), Wanted(job="deploy")).problems
    assert why == (
        "no step of the workflow files fits --job deploy; name a command: heal check --run CMD, "
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
