"""Finds the checks of a failure: the failed steps, what stands before them as set-up, and the green ones as guards."""

import re
from dataclasses import dataclass

from healing.checks.check import Check, Script
from healing.checks.workflow import Step, Workflow, WorkflowError, WorkflowJob, parse_workflow
from healing.failure import FailedJob
from healing.model import NotLooked
from healing.view import TreeView

TOOLS = (
    "pytest|py.test|unittest|ruff|black|mypy|flake8|pylint|isort|bandit|pyright|tox|nox|eslint|tsc|jest|vitest|mocha|"
    "biome|prettier|npm (?:run |test)|pnpm (?:run |test)|yarn (?:run |test)|go (?:test|vet|build)|gofmt|golangci-lint|"
    "cargo (?:test|check|clippy|build|fmt)|make|ctest|mvn|gradle|rspec|rubocop|phpunit"
)
CHECKS = re.compile(rf"(?:^|[\s;&|/])(?:{TOOLS})(?:[\s;&|]|$)", re.M)
INSTALLS = re.compile(r"\b(?:pip3?|uv|npm|pnpm|yarn|apt-get|poetry|pdm|conda)\b.*\b(?:install|sync|ci|add)\b")
KNOWN_ACTIONS = ("actions/checkout", "actions/setup-python", "actions/cache", "astral-sh/setup-uv")


@dataclass(frozen=True)
class Found:
    """What is to be run: checks that failed in CI, checks that must stay green, and what could not be found."""

    failing: tuple[Check, ...] = ()
    guards: tuple[Check, ...] = ()
    not_looked: tuple[NotLooked, ...] = ()


def find_checks(jobs: tuple[FailedJob, ...], view: TreeView) -> Found:
    """The checks of the failed jobs, from the workflow files in the tree that CI built. Order is the jobs' order."""
    failing: list[Check] = []
    guards: list[Check] = []
    missing: list[NotLooked] = []
    for failed in jobs:
        try:
            workflow, job = _workflow_job(failed, view)
        except WorkflowError as error:
            missing.append(NotLooked(what=failed.name, why=str(error), advice=ADVICE))
            continue
        missing += _unreproducible(job)
        failing += _checks(workflow, job, _red_steps(failed, job))
        green = [(other, step) for other in workflow.jobs for step in other.steps if is_check(step)]
        red = _red_steps(failed, job)
        guards += [check_of(workflow, other, step) for other, step in green if not (other == job and step.name in red)]
    red_keys = {check.key for check in failing}
    return Found(
        tuple({c.key: c for c in failing}.values()),
        tuple({c.key: c for c in guards if c.key not in red_keys}.values()),
        tuple(missing),
    )


ADVICE = "Name the command in .github/heal.yml (checks:), or run it yourself: heal check --run COMMAND"


def _workflow_job(failed: FailedJob, view: TreeView) -> tuple[Workflow, WorkflowJob]:
    if failed.workflow_path is None:
        raise WorkflowError("GitHub names no workflow file for it, so its command is not known")
    data = view.read(failed.workflow_path)
    if data is None:
        raise WorkflowError(f"{failed.workflow_path} is not in the tree that CI built")
    workflow = parse_workflow(failed.workflow_path, data)
    job = workflow.job(failed.name)
    if job is None:
        raise WorkflowError(f"{failed.workflow_path} has no job called “{failed.name}”")
    return workflow, job


def _unreproducible(job: WorkflowJob) -> list[NotLooked]:
    found = [f"it starts services ({', '.join(job.services)})"] if job.services else []
    found += ["it runs in a container"] if job.container else []
    found += [
        f"action {s.uses} is not known here" for s in job.steps if s.uses and not s.uses.startswith(KNOWN_ACTIONS)
    ]
    return [NotLooked(what=job.name, why=why, advice="Its checks were run without it.") for why in found]


def _red_steps(failed: FailedJob, job: WorkflowJob) -> set[str]:
    """Names of the steps that failed, and of checks that were skipped because of it: they would be next."""
    red = {s.name for s in failed.steps if s.conclusion in ("failure", "timed_out")}
    if not failed.steps:
        return {s.name for s in job.steps if is_check(s)}
    skipped = {s.name for s in failed.steps if s.conclusion == "skipped"}
    return red | {s.name for s in job.steps if s.name in skipped and is_check(s)}


def _checks(workflow: Workflow, job: WorkflowJob, names: set[str]) -> list[Check]:
    return [check_of(workflow, job, step) for step in job.steps if step.name in names and step.script]


def is_check(step: Step) -> bool:
    """Whether a step looks at the code, rather than preparing for that."""
    run = step.script.run if step.script else ""
    return bool(CHECKS.search(run)) and not INSTALLS.search(run)


def check_of(workflow: Workflow, job: WorkflowJob, step: Step) -> Check:
    """The step as a check, with the job's earlier non-check `run:` steps as its set-up."""
    assert step.script is not None
    before = job.steps[: job.steps.index(step)]
    setup = tuple(s.script for s in before if s.script is not None and not is_check(s))
    return Check(workflow=workflow.path, job=job.name, step=step.script, setup=setup)


def command_check(command: str, cwd: str = ".") -> Check:
    """A check that somebody named on the command line."""
    return Check(workflow="", job="", step=Script(name=command, run=command, cwd=cwd))
