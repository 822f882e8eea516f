"""A parsed workflow file: jobs with their steps, and the obstacles to running them here."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from healing.checks.check import Script
from healing.checks.expressions import HOLE, Value
from healing.checks.services.service import Service


@dataclass(frozen=True)
class Obstacle:
    """Something that can't be reproduced, with its place (`file:line`) and the reason. `spoils` says what it affects:
    nothing that is likely to matter (`aside`); what runs here differs slightly from what CI ran (`note`); this step
    can't be judged here (`step`), or neither this step nor any after it (`rest`)."""

    place: str
    why: str
    spoils: Literal["aside", "note", "step", "rest"] = "note"

    @property
    def fatal(self) -> bool:
        """Whether a run here would be no evidence about CI."""
        return self.spoils in ("step", "rest")

    def __str__(self) -> str:
        return f"{self.why} ({self.place})"


@dataclass(frozen=True)
class OtherMachine(Obstacle):
    """The job's runner is not Linux; `label` is its name."""

    label: str = ""


@dataclass(frozen=True)
class Step:
    """One step of a job. `script` is None for `uses:` steps; `parts` are the steps of an action in the repository
    itself; `unknown` lists expressions without a value here. `reached`: whether its `if:` lets it run (None: not
    known). `shown` is the name of the step that GitHub lists it under, `number` that step's 1-based position in the
    job."""

    name: str
    script: Script | None
    uses: str | None = None
    unknown: tuple[str, ...] = ()
    parts: tuple["Step", ...] = ()
    reached: bool | None = True
    shown: str = ""
    number: int = 0
    place: str = ""
    obstacles: tuple[Obstacle, ...] = ()
    tolerant: bool = False  # `continue-on-error`
    given: dict[str, Value] = field(default_factory=dict)  # `with:` of an action
    minutes: float | None = None

    def scripts(self) -> Iterator["Step"]:
        """Yield its `run:` steps in order. The whole step's `reached` and `tolerant` also apply to its parts."""
        if self.script is not None:
            yield self
        for part in self.parts:
            reached = part.reached if self.reached is True or part.reached is False else self.reached
            inherited = replace(part, reached=reached, number=self.number, tolerant=self.tolerant or part.tolerant)
            yield from inherited.scripts()

    def all_obstacles(self) -> Iterator[Obstacle]:
        """Yield its own obstacles and those of its parts that are not scripts."""
        yield from self.obstacles
        for part in self.parts:
            if part.script is None:
                yield from part.all_obstacles()


@dataclass(frozen=True)
class WorkflowJob:
    """One job for one matrix combination, under the name that GitHub shows (with `…` for what is not known here)."""

    id: str
    name: str
    steps: tuple[Step, ...]
    matrix: dict[str, Value] = field(default_factory=dict)
    container: str = ""
    services: tuple[Service, ...] = ()
    place: str = ""
    reached: bool | None = True
    obstacles: tuple[Obstacle, ...] = ()
    minutes: float | None = None
    elsewhere: str = ""  # the runner's label, where that is not Linux

    def scripts(self) -> tuple[Step, ...]:
        """Its `run:` steps in order, including those of actions in the repository."""
        return tuple(script for step in self.steps for script in step.scripts())


@dataclass(frozen=True)
class Workflow:
    """A workflow file with its jobs, after matrices are expanded and reusable workflows are opened."""

    path: str
    name: str
    jobs: tuple[WorkflowJob, ...]

    def jobs_named(self, name: str) -> tuple[WorkflowJob, ...]:
        """The jobs that GitHub may show as `name` or as `workflow / name`; failing that, those whose id is `name`."""
        short = name.removeprefix(f"{self.name} / ")
        for matches in (
            lambda job: job.name in (name, short),
            lambda job: name_matches(job.name, name) or name_matches(job.name, short),
        ):
            if jobs := tuple(filter(matches, self.jobs)):
                return jobs
        return tuple(job for job in self.jobs if job.id == name)

    def twin(self, job: WorkflowJob) -> WorkflowJob | None:
        """The Linux counterpart of a job that runs on another system: another combination of the same matrix. None
        where there is none, or where the job itself runs on Linux."""
        candidates = (
            other for other in self.jobs if other.id == job.id and not other.elsewhere and other.reached is not False
        )
        return next(candidates, None) if job.elsewhere else None

    def job(self, name: str) -> WorkflowJob | None:
        """The first job of that name; None where there is none."""
        return next(iter(self.jobs_named(name)), None)


def name_matches(shown: str, name: str) -> bool:
    """Whether `name` equals `shown` with some text in place of each `…`."""
    first, *rest = shown.split(HOLE)
    if not rest or not any((first, *rest)):
        return shown == name
    if not name.startswith(first) or not name.endswith(rest[-1]) or len(name) < len(first) + len(rest[-1]):
        return False
    start, end = len(first), len(name) - len(rest[-1])
    for part in rest[:-1]:
        index = name.find(part, start, end)
        if index < 0:
            return False
        start = index + len(part)
    return True
