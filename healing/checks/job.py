"""What a workflow file comes to: jobs with their steps, and whatever stands in the way of running them here."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from healing.checks.check import Script
from healing.checks.expressions import HOLE, Value
from healing.checks.services.service import Service


@dataclass(frozen=True)
class Obstacle:
    """Something that can't be reproduced, where it stands (`file:line`) and why. What it spoils: nothing that is likely
    to matter (`aside`); what is run is not quite what CI ran (`note`); its own step can't be judged here (`step`), nor
    can any that comes after it (`rest`)."""

    place: str
    why: str
    spoils: Literal["aside", "note", "step", "rest"] = "note"

    @property
    def fatal(self) -> bool:
        """Whether a run here would say nothing about CI's."""
        return self.spoils in ("step", "rest")

    def __str__(self) -> str:
        return f"{self.why} ({self.place})"


@dataclass(frozen=True)
class OtherMachine(Obstacle):
    """The job's runner is no Linux: `label` is its name."""

    label: str = ""


@dataclass(frozen=True)
class Step:
    """One step of a job. `script` is None for `uses:` steps; `parts` are the steps of an action that lies in the
    repository; `unknown` lists expressions without a value here. `reached`: whether its `if:` lets it run (None: not
    known). `shown` is the name of the step that GitHub lists it under, `number` that one's 1-based place in the job."""

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
        """The `run:` steps that it comes to, in order. What holds for the whole holds for its parts."""
        if self.script is not None:
            yield self
        for part in self.parts:
            reached = part.reached if self.reached is True or part.reached is False else self.reached
            whole = replace(part, reached=reached, number=self.number, tolerant=self.tolerant or part.tolerant)
            yield from whole.scripts()

    def all_obstacles(self) -> Iterator[Obstacle]:
        """Its own and those of its parts that are no scripts."""
        yield from self.obstacles
        for part in self.parts:
            if part.script is None:
                yield from part.all_obstacles()


@dataclass(frozen=True)
class WorkflowJob:
    """One job of one matrix combination, under the name that GitHub shows (a `…` where that is not known here)."""

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
    elsewhere: str = ""  # the label of its runner, where that is no Linux

    def scripts(self) -> tuple[Step, ...]:
        """Its `run:` steps, those of actions in the repository among them, in order."""
        return tuple(script for step in self.steps for script in step.scripts())


@dataclass(frozen=True)
class Workflow:
    """A workflow file with its jobs, matrices spread out and reusable workflows opened."""

    path: str
    name: str
    jobs: tuple[WorkflowJob, ...]

    def jobs_named(self, name: str) -> tuple[WorkflowJob, ...]:
        """The jobs that GitHub may show as `name`, or as `workflow / name`; else those with that id."""
        short = name.removeprefix(f"{self.name} / ")
        for fits in (lambda job: job.name in (name, short), lambda job: fit(job.name, name) or fit(job.name, short)):
            if found := tuple(filter(fits, self.jobs)):
                return found
        return tuple(job for job in self.jobs if job.id == name)

    def twin(self, job: WorkflowJob) -> WorkflowJob | None:
        """The job that does on Linux what this one does on another system: another combination of its matrix."""
        alike = (one for one in self.jobs if one.id == job.id and not one.elsewhere and one.reached is not False)
        return next(alike, None) if job.elsewhere else None

    def job(self, name: str) -> WorkflowJob | None:
        """The first job of that name."""
        return next(iter(self.jobs_named(name)), None)


def fit(shown: str, name: str) -> bool:
    """Whether `name` is `shown` with something in place of each `…`."""
    first, *rest = shown.split(HOLE)
    if not rest or not any((first, *rest)):
        return shown == name
    if not name.startswith(first) or not name.endswith(rest[-1]) or len(name) < len(first) + len(rest[-1]):
        return False
    at, end = len(first), len(name) - len(rest[-1])
    for part in rest[:-1]:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
