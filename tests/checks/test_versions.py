"""With which versions of languages CI runs a step."""

import pytest

from healing.checks.versions import fits, runtimes
from healing.checks.workflow import parse_workflow

WORKFLOW = b"""\
on: push
jobs:
  test:
    strategy:
      matrix: {node-version: ["0.10"], py: [3.12], os: [ubuntu-latest], toolchain: [nightly]}
    runs-on: ubuntu-latest
    steps:
      - {uses: actions/setup-go@v5, with: {go-version: "1.22"}}
      - {uses: pnpm/action-setup@v4, with: {version: 9}}
      - run: nvm install ${{ matrix.node-version }}
      - run: make test
      - {uses: ruby/setup-ruby@v1, with: {ruby-version: "3.3"}}
"""


# ENV-3
def test_versions_are_those_of_actions_before_a_step_and_of_the_matrix() -> None:
    (job,) = parse_workflow("ci.yml", WORKFLOW, lambda _: None).jobs
    step = next(step for step in job.steps if step.name == "Run make test")
    assert set(runtimes(job, step)) == {("Go", "1.22"), ("Node.js", "0.10"), ("Python", "3.12")}


# ENV-3
@pytest.mark.parametrize(
    ("version", "has", "same"),
    [
        ("20", "20.20.2", True),
        ("20.x", "20.20.2", True),
        ("v18.1", "18.10.0", False),
        ("3.1", "3.11.7", False),
        ("3.11", "3.11.7", True),
        ("1.22", "1.22", True),
    ],
)
def test_a_version_fits_part_by_part(version: str, has: str, same: bool) -> None:
    assert fits(version, has) is same
