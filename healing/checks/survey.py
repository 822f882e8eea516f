"""Surveys whether Heal can reproduce a repository's CI: every job of its workflow files, with the obstacles of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from healing.checks.check import Check, CheckResult
from healing.checks.job import Obstacle, Step, Workflow, WorkflowJob
from healing.checks.recognising import is_check
from healing.checks.reproducing import Reproduction, reproduce
from healing.checks.workflow import WorkflowError, parse_workflow
from healing.view import TreeView

WORKFLOWS = ".github/workflows/"
State = Literal["reproducible", "red", "not reproducible", "no checks", "skipped"]


@dataclass(frozen=True)
class SurveyedJob:
    """One job (under the name that GitHub shows) with the checks that decide about it. `reasons` apply to the whole
    job; `perhaps` are unknown actions of a job without checks, any of which may be one. `skipped` is why CI would not
    count the job; empty where it does."""

    workflow: str
    name: str
    place: str
    checks: tuple[Reproduction, ...] = ()
    reasons: tuple[Obstacle, ...] = ()
    perhaps: tuple[Obstacle, ...] = ()
    skipped: str = ""

    def state(self, results: dict[str, CheckResult]) -> State:
        """The state of the job. `results` (check key → result) are those of the checks that were run; any other check
        counts as its file describes it."""
        if self.skipped:
            return "skipped"
        states = {state_of(reproduction, results.get(reproduction.check.key)) for reproduction in self.checks}
        if self.reasons:
            states.add("not reproducible")
        ranked: tuple[State, ...] = ("red", "not reproducible", "reproducible")
        return next((state for state in ranked if state in states), "no checks")


def state_of(reproduction: Reproduction, result: CheckResult | None) -> State:
    """The state of one check."""
    if reproduction.blockers or (result is not None and result.not_run):
        return "not reproducible"
    return "red" if result is not None and not result.green else "reproducible"


def survey(view: TreeView) -> Iterator[SurveyedJob]:
    """The jobs of all workflow files, in order. A file that can't be read is one job of its own, with the reason."""
    for path in view.paths():
        if not (path.startswith(WORKFLOWS) and path.endswith((".yml", ".yaml"))):
            continue
        try:
            workflow = parse_workflow(path, view.read(path) or b"", view.read)
        except WorkflowError as error:
            yield SurveyedJob(path, "…", path, reasons=(Obstacle(path, str(error), "rest"),))
        else:
            yield from (_job(workflow, job) for job in workflow.jobs)


def named(path: str, checks: tuple[Check, ...]) -> Iterator[SurveyedJob]:
    """Commands that a person named in the file `path`, each as a job of its own."""
    for check in checks:
        job = WorkflowJob("", check.title, ())
        yield SurveyedJob(path, check.title, path, (Reproduction(job, Step(check.title, check.step), check),))


def _job(workflow: Workflow, job: WorkflowJob) -> SurveyedJob:
    if job.reached is False:
        return SurveyedJob(workflow.path, job.name, job.place, skipped="its `if:` does not hold here")
    steps = [step for step in job.scripts() if is_check(step.script)]
    counted = [step for step in steps if step.reached is not False and not step.tolerant]
    if steps and not counted:
        why = "the `if:` of its checks does not hold here, or CI continues when they fail"
        return SurveyedJob(workflow.path, job.name, job.place, skipped=why)
    checks = tuple(reproduce(workflow, job, step) for step in counted)
    opaque = () if checks else tuple(_opaque(job))
    reasons = tuple(obstacle for obstacle in opaque if obstacle.fatal)
    perhaps = tuple(obstacle for obstacle in opaque if obstacle.spoils == "note")
    return SurveyedJob(workflow.path, job.name, job.place, checks, reasons, perhaps)


def _opaque(job: WorkflowJob) -> Iterator[Obstacle]:
    """Yield what may be a hidden check in a job without a command that checks something."""
    yield from (obstacle for obstacle in job.obstacles if obstacle.fatal)
    for step in job.steps:
        if not list(step.scripts()) and step.reached is not False:
            yield from step.all_obstacles()
