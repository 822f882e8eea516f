"""Finds the checks of a failure: the failed steps, what stands before them as set-up, and the green ones as guards."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from healing.checks.check import Check
from healing.checks.job import Step, Workflow, WorkflowJob, fit
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
MOST_ALIKE = 8  # jobs of one name that are looked at: which of them failed can't be known from the name


@dataclass(frozen=True)
class FoundChecks:
    """What is to be run: checks that failed in CI, checks that must stay green, and what could not be found."""

    failing: tuple[Check, ...] = ()
    guards: tuple[Check, ...] = ()
    not_looked: tuple[NotChecked, ...] = ()
    by_job: tuple[frozenset[str], ...] = ()  # for each failed job the keys of its failing checks


def find_checks(jobs: tuple[FailedJob, ...], view: TreeView) -> FoundChecks:
    """The checks of the failed jobs, from the workflow files in the tree that CI built. Order is the jobs' order."""
    found = _Finding(view)
    for failed in jobs:
        found.keys.append(set())
        try:
            found.look(failed)
        except WorkflowError as error:
            found.missing.append(NotChecked(what=failed.name, why=str(error), advice=ADVICE))
    return FoundChecks(
        tuple(found.failing.values()),
        tuple(c for key, c in found.guards.items() if key not in found.failing),
        tuple(dict.fromkeys(found.missing)),
        tuple(map(frozenset, found.keys)),
    )


@dataclass
class _Finding:
    view: TreeView
    failing: dict[str, Check] = field(default_factory=dict)
    guards: dict[str, Check] = field(default_factory=dict)
    missing: list[NotChecked] = field(default_factory=list)
    workflows: dict[str, Workflow] = field(default_factory=dict)
    keys: list[set[str]] = field(default_factory=list)  # of failing checks, for each job that was looked at

    def look(self, failed: FailedJob) -> None:
        """Adds what one failed job comes to. Raises WorkflowError where its job can't be found."""
        workflow = self.workflow(failed)
        jobs = workflow.jobs_named(failed.name)[:MOST_ALIKE]
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
        """The failed steps of one job as checks; what can't be run, or not quite as in CI, is named."""
        skipped = frozenset(s.name for s in failed.steps if s.conclusion == "skipped")
        names = _red_names(failed, job)
        steps = [step for step in job.scripts() if _among(step.shown, names)]
        for step in _judging(steps):
            one = reproduce(workflow, job, step, skipped - names)
            if one.blockers:
                self.missing += (NotChecked(what=one.check.title, why=str(o), advice=ADVICE) for o in one.blockers)
                continue
            for check in separate(one.check, self.view.read):
                self.failing.setdefault(check.key, check)
                self.keys[-1].add(check.key)
            notes = (o for o in one.notes if o.spoils == "note")
            self.missing += (NotChecked(what=job.name, why=str(o), advice=RUN_WITHOUT) for o in notes)
        self.missing += _no_commands(failed, job, steps)

    def guard(self, workflow: Workflow, job: WorkflowJob, red: set[str]) -> None:
        """The checks of a job that are green in CI and can be run here."""
        for step in job.scripts():
            if not is_check(step.script) or step.tolerant or _among(step.shown, red):
                continue
            if job.reached is not False and step.reached is not False:
                one = reproduce(workflow, job, step)
                for check in () if one.blockers else separate(one.check, self.view.read):
                    self.guards.setdefault(check.key, check)


def _red_names(failed: FailedJob, job: WorkflowJob) -> set[str]:
    """Names of the steps that failed, and of checks that were skipped because of it: they would be next."""
    checks = {s.shown for s in job.scripts() if is_check(s.script)}
    if not failed.steps:
        return checks
    skipped = {s.name for s in failed.steps if s.conclusion == "skipped"}
    return {s.name for s in failed.steps if s.conclusion in RED} | {s for s in skipped if _among(s, checks)}


def _among(name: str, names: Iterable[str]) -> bool:
    """Whether a step is one of those named; either side may have a `…` for what is not known here."""
    return any(name == other or fit(name, other) or fit(other, name) for other in names)


def _judging(steps: list[Step]) -> Iterator[Step]:
    """The steps to run: of an action in the repository those that look at the code, where it has such."""
    for step in steps:
        alike = [s for s in steps if s.number == step.number and is_check(s.script)]
        if not alike or step in alike:
            yield step


def _no_commands(failed: FailedJob, job: WorkflowJob, steps: list[Step]) -> Iterator[NotChecked]:
    """Failed steps that are no command of the workflow."""
    shown = {step.shown for step in steps}
    for fact in failed.steps:
        if fact.conclusion in RED and not _among(fact.name, shown):
            step = next((s for s in job.steps if _among(fact.name, [s.shown])), None)
            why = f"it is the action {step.uses}, no command ({step.place})" if step else "it is no step of the file"
            blockers = [str(o) for o in step.all_obstacles() if o.fatal] if step else []
            why = "; ".join([why, *blockers])
            yield NotChecked(what=f"{job.name} / {fact.name}", why=why, advice=ADVICE)
