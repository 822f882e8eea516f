"""Which checks a clone has: a named command, else those of `.github/heal.yml`, else the steps of its workflow files."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from bot.repo_config import CONFIG_PATH, read_repo_config
from healing.checks.check import Check
from healing.checks.finding import check_of, command_check, is_check
from healing.checks.workflow import Step, Workflow, WorkflowError, WorkflowJob, parse_workflow
from healing.view import TreeView


@dataclass(frozen=True)
class Wanted:
    """What a person asked for: a command, or workflow steps by name (`*` matches anything; empty: all)."""

    command: str = ""
    workflow: str = ""
    job: str = ""
    step: str = ""

    @property
    def of_workflows(self) -> bool:
        """Whether steps of workflow files were named."""
        return bool(self.workflow or self.job or self.step)

    def fits(self, workflow: Workflow, job: WorkflowJob, step: Step) -> bool:
        """Whether a step is asked for. A workflow is named by its name, path or file name; a job by name or id."""
        path = PurePosixPath(workflow.path)
        return (
            _named(self.workflow, workflow.name, workflow.path, path.name, path.stem)
            and _named(self.job, job.name, job.id)
            and _named(self.step, step.name, step.name.removeprefix("Run "))
        )


def _named(wanted: str, *names: str) -> bool:
    return not wanted or any(wanted == name or fnmatchcase(name.lower(), wanted.lower()) for name in names)


@dataclass(frozen=True)
class LocalChecks:
    """What can be run; `problems` could not be looked at, `notes` are run, but not quite as CI does."""

    checks: tuple[Check, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def local_checks(view: TreeView, wanted: Wanted) -> LocalChecks:
    """The checks of a working tree. The person's own `.github/heal.yml` counts here: it is their machine."""
    if wanted.command:
        return LocalChecks((command_check(wanted.command),))
    config = read_repo_config(view.read(CONFIG_PATH))
    notes = tuple(f"{n.what}: {n.why}. {n.advice}" for n in config.not_looked())
    if config.checks() and not wanted.of_workflows:
        return LocalChecks(config.checks())
    found = _of_workflows(view, wanted)
    return LocalChecks(found.checks, found.problems, (*notes, *found.notes))


def _of_workflows(view: TreeView, wanted: Wanted) -> LocalChecks:
    checks: dict[str, Check] = {}
    problems: list[str] = []
    notes: dict[str, None] = {}
    for workflow in _workflows(view, problems):
        for job in workflow.jobs:
            for step in job.steps:
                if is_check(step) and wanted.fits(workflow, job, step):
                    check = check_of(workflow, job, step)
                    checks.setdefault(check.key, check)
                    notes |= dict.fromkeys(_otherwise(job, step))
    if not checks and not problems:
        problems.append(_nothing(wanted))
    return LocalChecks(tuple(checks.values()), tuple(problems), tuple(notes))


def _workflows(view: TreeView, problems: list[str]) -> list[Workflow]:
    found: list[Workflow] = []
    for path in view.paths():
        if path.startswith(".github/workflows/") and path.endswith((".yml", ".yaml")):
            try:
                found.append(parse_workflow(path, view.read(path) or b""))
            except WorkflowError as error:
                problems.append(str(error))
    return found


def _otherwise(job: WorkflowJob, step: Step) -> list[str]:
    """In what a run here differs from CI's (CK-1)."""
    said = [f"{job.name} / {step.name}: ${{{{ {name} }}}} has no value here, so it is empty" for name in step.unknown]
    said += [f"{job.name}: run without its services ({', '.join(job.services)})"] if job.services else []
    return said + ([f"{job.name}: run without its container"] if job.container else [])


def _nothing(wanted: Wanted) -> str:
    asked = [f"--{name} {getattr(wanted, name)}" for name in ("workflow", "job", "step") if getattr(wanted, name)]
    fits = f" fits {' '.join(asked)}" if asked else " is a check that Heal knows"
    return f"no step of the workflow files{fits}; name a command: heal check --run CMD, or `checks:` in {CONFIG_PATH}"
