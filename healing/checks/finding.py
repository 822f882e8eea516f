"""Finds the checks of a failure: the failed steps, the steps before them as set-up, and the green ones as guards."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from healing.checks.check import Check
from healing.checks.job import Step, Workflow, WorkflowJob, name_matches
from healing.checks.recognising import is_check
from healing.checks.reproducing import reproduce
from healing.checks.separating import separate
from healing.checks.workflow import WorkflowError, parse_workflow
from healing.failed_jobs import FailedJob
from healing.model import NotChecked
from healing.view import TreeView

ADVICE = "Name the command in .github/heal.yml (checks:): `heal config check` says which line, and tries it"
RUN_WITHOUT = "Its checks were run without it."
RED = ("failure", "timed_out")
MAX_ALIKE = 8  # jobs of one name that are read: the name doesn't tell which of them failed


@dataclass(frozen=True)
class FoundChecks:
    """The checks to run: those that failed in CI and those that must stay green, with what could not be found."""

    failing: tuple[Check, ...] = ()
    guards: tuple[Check, ...] = ()
    not_looked: tuple[NotChecked, ...] = ()
    by_job: tuple[frozenset[str], ...] = ()  # for each failed job the keys of its failing checks


def find_checks(jobs: tuple[FailedJob, ...], view: TreeView) -> FoundChecks:
    """The checks of the failed jobs, from the workflow files in the tree that CI built, in the order of the jobs."""
    finding = _Finding(view)
    for failed in jobs:
        finding.keys.append(set())
        try:
            finding.look(failed)
        except WorkflowError as error:
            finding.missing.append(NotChecked(what=failed.name, why=str(error), advice=ADVICE))
    return FoundChecks(
        tuple(finding.failing.values()),
        tuple(c for key, c in finding.guards.items() if key not in finding.failing),
        tuple(dict.fromkeys(finding.missing)),
        tuple(map(frozenset, finding.keys)),
    )


@dataclass
class _Finding:
    view: TreeView
    failing: dict[str, Check] = field(default_factory=dict)
    guards: dict[str, Check] = field(default_factory=dict)
    missing: list[NotChecked] = field(default_factory=list)
    workflows: dict[str, Workflow] = field(default_factory=dict)
    keys: list[set[str]] = field(default_factory=list)  # keys of the failing checks, one set for each failed job

    def look(self, failed: FailedJob) -> None:
        """Add the checks of one failed job. Raises WorkflowError where the job can't be found."""
        workflow = self.workflow(failed)
        jobs = workflow.jobs_named(failed.name)[:MAX_ALIKE]
        if not jobs:
            raise WorkflowError(f"{workflow.path} has no job called “{failed.name}”")
        for job in jobs:
            self.look_at(failed, workflow, job)
        for other in workflow.jobs:
            names = _red_names(failed, other) if other in jobs else set()
            self.guard(workflow, other, names)

    def workflow(self, failed: FailedJob) -> Workflow:
        """The workflow of a job. Raises WorkflowError where there is none that can be read."""
        path = failed.workflow_path
        if path is None:
            raise WorkflowError("GitHub names no workflow file for it, so its command is not known")
        if path not in self.workflows:
            data = self.view.read(path)
            if data is None:
                raise WorkflowError(f"{path} is not in the tree that CI built")
            self.workflows[path] = parse_workflow(path, data, self.view.read)
        return self.workflows[path]

    def look_at(self, failed: FailedJob, workflow: Workflow, job: WorkflowJob) -> None:
        """Add the failed steps of one job as checks, and name what can't be run, or not exactly as in CI."""
        skipped = frozenset(s.name for s in failed.steps if s.conclusion == "skipped")
        names = _red_names(failed, job)
        steps = [step for step in job.scripts() if _matches_any(step.shown, names)]
        for step in _steps_to_run(steps):
            reproduction = reproduce(workflow, job, step, skipped - names)
            if reproduction.blockers:
                self.missing += (
                    NotChecked(what=reproduction.check.title, why=str(o), advice=ADVICE) for o in reproduction.blockers
                )
                continue
            for check in separate(reproduction.check, self.view.read):
                self.failing.setdefault(check.key, check)
                self.keys[-1].add(check.key)
            notes = (o for o in reproduction.notes if o.spoils == "note")
            self.missing += (NotChecked(what=job.name, why=str(o), advice=RUN_WITHOUT) for o in notes)
        self.missing += _no_commands(failed, job, steps)

    def guard(self, workflow: Workflow, job: WorkflowJob, red: set[str]) -> None:
        """Add the checks of a job that are green in CI and can be run here."""
        for step in job.scripts():
            if not is_check(step.script) or step.tolerant or _matches_any(step.shown, red):
                continue
            if job.reached is not False and step.reached is not False:
                reproduction = reproduce(workflow, job, step)
                for check in () if reproduction.blockers else separate(reproduction.check, self.view.read):
                    self.guards.setdefault(check.key, check)


def _red_names(failed: FailedJob, job: WorkflowJob) -> set[str]:
    """Names of the steps that failed, and of checks that were skipped because of that and would fail next."""
    checks = {s.shown for s in job.scripts() if is_check(s.script)}
    if not failed.steps:
        return checks
    skipped = {s.name for s in failed.steps if s.conclusion == "skipped"}
    return {s.name for s in failed.steps if s.conclusion in RED} | {s for s in skipped if _matches_any(s, checks)}


def _matches_any(name: str, names: Iterable[str]) -> bool:
    """Whether a step is among those named; either side may have a `…` for what is not known here."""
    return any(name == other or name_matches(name, other) or name_matches(other, name) for other in names)


def _steps_to_run(steps: list[Step]) -> Iterator[Step]:
    """The steps to run. Of an action in the repository only the steps that check code, where it has such."""
    for step in steps:
        checks_of_action = [s for s in steps if s.number == step.number and is_check(s.script)]
        if not checks_of_action or step in checks_of_action:
            yield step


def _no_commands(failed: FailedJob, job: WorkflowJob, steps: list[Step]) -> Iterator[NotChecked]:
    """Failed steps that are not commands of the workflow."""
    shown = {step.shown for step in steps}
    for failed_step in failed.steps:
        if failed_step.conclusion in RED and not _matches_any(failed_step.name, shown):
            step = next((s for s in job.steps if _matches_any(failed_step.name, [s.shown])), None)
            why = f"it is the action {step.uses}, no command ({step.place})" if step else "it is no step of the file"
            blockers = [str(o) for o in step.all_obstacles() if o.fatal] if step else []
            why = "; ".join([why, *blockers])
            yield NotChecked(what=f"{job.name} / {failed_step.name}", why=why, advice=ADVICE)
