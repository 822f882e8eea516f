"""Workflow files shaped like those of well-known kinds of projects: every check as it would be run, and what stands
in the way. `shapes/NAME.yml` is the workflow, `NAME.files.yml` what else there is, `NAME.txt` what it comes to."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.checks.check import Script
from healing.checks.job import Obstacle, Workflow
from healing.checks.recognising import is_check
from healing.checks.reproducing import reproduce
from healing.checks.source import read_yaml
from healing.checks.workflow import parse_workflow
from healing.view import DictView

SHAPES = Path(__file__).parent / "shapes"
NAMES = sorted(path.stem for path in SHAPES.glob("*.yml") if not path.name.endswith(".files.yml"))
# What a machine has, or has another version of, is not for a table that holds on all of them.
OF_THE_MACHINE = (
    "and Heal Python ",
    "and Heal PostgreSQL ",
    "and Heal Redis ",
    "and Heal MariaDB ",
    "is not installed where Heal runs",
)


def workflow(name: str) -> Workflow:
    more = SHAPES / f"{name}.files.yml"
    files = read_yaml(more.name, more.read_bytes()) if more.exists() else {}
    view = DictView({path: str(text).encode() for path, text in files.items()})
    return parse_workflow("ci.yml", (SHAPES / f"{name}.yml").read_bytes(), view.read)


def described(flow: Workflow) -> Iterator[str]:
    """Every check with its set-up, as text."""
    for job in flow.jobs:
        yield f"{job.name}{'' if job.reached else ' (not run)' if job.reached is False else ' (perhaps)'}"
        for step in job.scripts():
            if not is_check(step.script):
                continue
            one = reproduce(flow, job, step)
            state = {False: " (not run)", None: " (perhaps)"}.get(step.reached, "")
            yield f"  {step.shown}{' › ' + step.name if step.shown != step.name else ''}{state}"
            yield from (f"    + {line}" for script in one.check.setup for line in command(script))
            yield from (f"    $ {line}" for line in command(one.check.step))
            yield from (f"    & {s.image} at {s.host or 'localhost'}:{s.port}" for s in one.check.servers)
            yield from (f"    ! {obstacle}" for obstacle in everywhere(one.blockers))
            yield from (f"    ~ {obstacle}" for obstacle in everywhere(one.notes))
        if not job.scripts():
            yield from (f"  ! {obstacle}" for obstacle in job.obstacles)


def everywhere(obstacles: tuple[Obstacle, ...]) -> Iterator[Obstacle]:
    return (one for one in obstacles if not any(sign in one.why for sign in OF_THE_MACHINE))


def command(script: Script) -> Iterator[str]:
    where = f" in {script.cwd}" if script.cwd != "." else ""
    with_env = f" with {json.dumps(script.env)}" if script.env else ""
    shell = f" by {script.shell}" if script.shell else ""
    yield "; ".join(script.run.strip().splitlines()) + where + shell + with_env


# CK-1
@pytest.mark.parametrize("name", NAMES)
def test_the_checks_of_a_workflow_are_found_as_ci_runs_them(name: str) -> None:
    assert "\n".join(described(workflow(name))) + "\n" == (SHAPES / f"{name}.txt").read_text()


def test_there_are_enough_shapes_to_mean_something() -> None:
    assert len(NAMES) >= 30
